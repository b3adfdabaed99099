// transformers.js for each task of bench/tasks.py, in Node, on the CPU.
//
// node tasks_js.mjs TASK MODEL OPTIONS THREADS BATCH; NODE_MODULES names the folder with @huggingface/transformers.

import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const started = performance.now();
const require = createRequire(pathToFileURL(join(process.env.NODE_MODULES, "package.json")));
const { AutoModelForSequenceClassification, AutoTokenizer, env, pipeline } = require("@huggingface/transformers");

const [task, model, optionsText, threads, batchText] = process.argv.slice(2);
const options = JSON.parse(optionsText);
const batch = Number(batchText);
const name = basename(model);
const settings = {
  dtype: "fp32",
  device: "cpu",
  session_options: { intraOpNumThreads: Number(threads), interOpNumThreads: 1 },
};
env.allowRemoteModels = false;
env.localModelPath = dirname(model);

function chunks(list) {
  const parts = [];
  for (let start = 0; start < list.length; start += batch) parts.push(list.slice(start, start + batch));
  return parts;
}

// As its documentation of rerankers has it: there is no pipeline for them.
async function ranking() {
  const tokenizer = await AutoTokenizer.from_pretrained(name);
  const encoder = await AutoModelForSequenceClassification.from_pretrained(name, settings);
  return async (inputs) => {
    const results = [];
    for (const { query, documents } of inputs) {
      const scores = [];
      for (const part of chunks(documents)) {
        const queries = new Array(part.length).fill(query);
        const features = tokenizer(queries, { text_pair: part, padding: true, truncation: true });
        scores.push(...(await encoder(features)).logits.sigmoid().data);
      }
      const order = scores.map((score, index) => ({ index, score }));
      results.push({ results: order.sort((a, b) => b.score - a.score) });
    }
    return results;
  };
}

async function zeroShot() {
  const classify = await pipeline("zero-shot-classification", name, settings);
  return async (inputs) => {
    const results = [];
    for (const text of inputs) {
      const { labels, scores } = await classify(text, options.labels);
      results.push({ predictions: labels.map((label, i) => ({ label, score: scores[i] })) });
    }
    return results;
  };
}

async function fillMask() {
  const fill = await pipeline("fill-mask", name, settings);
  return async (inputs) => {
    const results = [];
    for (const part of chunks(inputs)) {
      const rows = part.length === 1 ? [await fill(part[0])] : await fill(part);
      for (const row of rows) {
        results.push({ predictions: row.map(({ token, score }) => ({ token_id: token, score })) });
      }
    }
    return results;
  };
}

const run = await { text_ranking: ranking, zero_shot_classification: zeroShot, fill_mask: fillMask }[task]();

function answer(seconds) {
  process.stdout.write(JSON.stringify({ seconds }) + "\n");
}

answer([(performance.now() - started) / 1000]);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, file, ...rest] = line.split(" ");
  const inputs = readFileSync(file, "utf8").trimEnd().split("\n").map((text) => JSON.parse(text));
  const parts = command === "one" ? inputs.map((input) => [input]) : [inputs];
  const seconds = [];
  let results = [];
  for (const part of parts) {
    const start = performance.now();
    results = await run(part);
    seconds.push((performance.now() - start) / 1000);
  }
  if (command === "write") writeFileSync(rest[0], results.map((result) => JSON.stringify(result) + "\n").join(""));
  answer(seconds);
}
