// Opens its log for every line.
const fs = require("fs");

const lines = Math.max(1, Math.floor(120000 / (process.env.PAIR_SCALE || 1)));
for (let i = 0; i < lines; i++) fs.appendFileSync("service.log", `request ${i} served\n`);
