import assert from "node:assert/strict";
import { test } from "node:test";

import { pickWords, readPick, rowsOfPick } from "../chart/pick.js";

test("ranks are read as people write them", () => {
  assert.deepEqual(readPick("0, 16-31 40"), [[0, 0], [16, 31], [40, 40]]);
  assert.deepEqual(readPick("9-3"), [[3, 9]]);
  assert.equal(pickWords(readPick("0, 16-31")), "0,16-31");
  for (const words of ["", " , ", "a", "1-", "-1", "1.5", "12345678901"]) assert.equal(readPick(words), null, words);
});

test("rows that hold one of the ranks are found, be they of one or of several", () => {
  const alone = { first: [0, 6, 12, 18], per: 1 };
  assert.deepEqual(rowsOfPick([[6, 6], [13, 40]], alone), [1, 3]);
  assert.deepEqual(rowsOfPick([[7, 11]], alone), []);
  const shared = { first: [0, 4, 8], per: 4 };
  assert.deepEqual(rowsOfPick([[5, 5], [9, 9]], shared), [1, 2]);
});
