// Writes its log when all lines are there.
const fs = require("fs");

const lines = Math.max(1, Math.floor(120000 / (process.env.PAIR_SCALE || 1)));
const log = [];
for (let i = 0; i < lines; i++) log.push(`request ${i} served\n`);
fs.appendFileSync("service.log", log.join(""));
