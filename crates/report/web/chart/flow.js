// The bandwidth chart of a timeline: bytes per second.

import { bandwidth } from "./bandwidth.js";
import { heading, kept, line, text } from "./canvas.js";
import { decimalsOf, ticks } from "./numbers.js";

/** Draws bytes per second and stores the series in the flow (`own`, `asked`), where the tip reads
 * them. `shows` has a flag for writes and one for reads. */
export function drawFlow(context, colours, flow, time, shows) {
  const { x, y, width, height } = flow.box;
  const columns = Math.max(40, Math.floor(width / 2));
  const { own, above } = kept(flow, [time.low, time.high, columns, ...shows], () => ({
    own: bandwidth(flow.source(time, shows), time, columns),
    above: flow.above && bandwidth(flow.above(time, shows), time, columns),
  }));
  flow.own = own;
  const asked = above?.both;
  const most = Math.max(own.most, asked ? asked.reduce((a, b) => Math.max(a, b), 0) : 0);
  if (!(most > 0)) {
    heading(context, colours, x, y - 13, width, flow.title, flow.words);
    text(context, "nothing moved here", x + width / 2, y + height / 2, colours.css.ink3, "center");
    line(context, colours.css.line, x, y + height + 0.5, x + width, y + height + 0.5);
    return;
  }
  const power = Math.min(4, Math.max(0, Math.floor(Math.log(most) / Math.log(1024))));
  const unit = 1024 ** power;
  const { values, step } = ticks(0, most / unit, 2);
  if (values.at(-1) * unit < most) values.push(values.at(-1) + step);
  const high = values.at(-1) * unit;
  const toY = (value) => y + height - (value / high) * height;
  for (const value of values) {
    const at = Math.round(toY(value * unit)) + 0.5;
    line(context, colours.css.line, x, at, x + width, at);
    text(context, value.toFixed(decimalsOf(step)), x - 6, Math.max(y + 4, at), colours.css.ink3, "right");
  }
  heading(context, colours, x, y - 13, width, `${flow.title}, ${["B", "KiB", "MiB", "GiB", "TiB"][power]}/s`, flow.words);
  const area = (series, colour) => {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x, toY(0));
    for (let i = 0; i < columns; i++) {
      context.lineTo(x + (i * width) / columns, toY(series[i]));
      context.lineTo(x + ((i + 1) * width) / columns, toY(series[i]));
    }
    context.lineTo(x + width, toY(0));
    context.fill();
  };
  // Reads are stacked on writes, so that both are visible.
  area(own.both, colours.css.read);
  area(own.written, colours.css.write);
  if (asked) {
    context.strokeStyle = colours.css.ink;
    context.lineWidth = 1.25;
    context.beginPath();
    for (let i = 0; i < columns; i++) {
      context[i ? "lineTo" : "moveTo"](x + (i * width) / columns, toY(asked[i]));
      context.lineTo(x + ((i + 1) * width) / columns, toY(asked[i]));
    }
    context.stroke();
    flow.asked = asked;
  }
}
