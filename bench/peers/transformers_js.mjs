// transformers.js in Node, on the CPU.
//
// node transformers_js.mjs MODEL VARIANT THREADS BATCH; NODE_MODULES names the folder with @huggingface/transformers.

import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const started = performance.now();
const require = createRequire(pathToFileURL(join(process.env.NODE_MODULES, "package.json")));
const { env, pipeline } = require("@huggingface/transformers");

const [model, variant, threads, batch] = process.argv.slice(2);
env.allowRemoteModels = false;
env.localModelPath = dirname(model);
const extractor = await pipeline("feature-extraction", basename(model), {
  dtype: variant,
  device: "cpu",
  session_options: { intraOpNumThreads: Number(threads), interOpNumThreads: 1 },
});

function answer(seconds) {
  process.stdout.write(JSON.stringify({ seconds }) + "\n");
}

async function embed(texts) {
  const rows = [];
  for (let start = 0; start < texts.length; start += Number(batch)) {
    const output = await extractor(texts.slice(start, start + Number(batch)), { pooling: "mean", normalize: true });
    rows.push(output.data);
  }
  return rows;
}

answer([(performance.now() - started) / 1000]);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, corpus, ...rest] = line.split(" ");
  const texts = readFileSync(corpus, "utf8").trimEnd().split("\n");
  const parts = command === "one" ? texts.map((text) => [text]) : [texts];
  const seconds = [];
  let rows = [];
  for (const part of parts) {
    const start = performance.now();
    rows = await embed(part);
    seconds.push((performance.now() - start) / 1000);
  }
  if (command === "write") writeFileSync(rest[0], Buffer.concat(rows.map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength))));
  answer(seconds);
}
