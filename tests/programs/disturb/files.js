// Node: files in all its three styles, streams, watchers of children.
const fs = require("fs");
const { execFileSync, spawn, spawnSync } = require("child_process");

fs.writeFileSync("made", "text\n".repeat(1000), { mode: 0o640 });
console.log(fs.readFileSync("made").length, fs.statSync("made").size, fs.existsSync("nowhere"));
const fd = fs.openSync("made", "r+");
fs.writeSync(fd, "HERE", 10);
const buffer = Buffer.alloc(8);
console.log(fs.readSync(fd, buffer, 0, 8, 8), buffer.toString());
fs.ftruncateSync(fd, 100);
fs.fsyncSync(fd);
fs.closeSync(fd);
try {
    fs.readFileSync("nowhere");
} catch (problem) {
    console.log(problem.code, problem.errno, problem.message);
}
fs.copyFileSync("words", "copied");
fs.cpSync("tree", "tree2", { recursive: true, verbatimSymlinks: true });
console.log(execFileSync("sort", ["-n"], { input: "3\n1\n2\n" }).toString());
const failed = spawnSync("sh", ["-c", "echo out; echo err >&2; exit 3"]);
console.log(failed.status, failed.stdout.toString(), failed.stderr.toString());

async function main() {
    const jobs = [];
    for (let i = 0; i < 20; i++) jobs.push(fs.promises.writeFile(`promised-${i}`, "x".repeat(i * 1000)));
    await Promise.all(jobs);
    const sizes = await Promise.all(jobs.map((_, i) => fs.promises.stat(`promised-${i}`)));
    console.log(sizes.map((status) => status.size).join(" "));
    await new Promise((done) =>
        fs.createReadStream("noise").pipe(fs.createWriteStream("streamed")).on("finish", done));
    console.log(fs.readFileSync("noise").equals(fs.readFileSync("streamed")));
    const child = spawn("cat", ["empty", "made"], { stdio: ["ignore", "pipe", "inherit"] });
    let size = 0;
    child.stdout.on("data", (data) => (size += data.length));
    child.on("close", (status) => console.log("cat", status, size));
}
main();
