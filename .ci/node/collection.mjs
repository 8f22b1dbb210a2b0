// Imports the collection of requests as Postman's own runner does, and sends every request of it, as it stands, to the demo.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import newman from "newman";

const { SVC_BASE_URL, SVC_KEY_ID, SVC_API_KEY } = process.env;
const variables = { base_url: SVC_BASE_URL, key_id: SVC_KEY_ID, api_key: SVC_API_KEY };
const envVar = Object.entries(variables).map(([key, value]) => ({ key, value }));
const collection = JSON.parse(readFileSync(process.argv[2], "utf8"));
const summary = await new Promise((resolve, reject) => {
  newman.run({ collection, envVar, reporters: [] }, (error, summary) => (error ? reject(error) : resolve(summary)));
});

const { executions, failures } = summary.run;
assert.deepEqual(failures.map((failure) => failure.error.message), []);
const requests = collection.item.flatMap((folder) => folder.item);
assert.equal(executions.length, requests.length);
let done = 0;
for (const { item, request, response } of executions) {
  const said = `${request.method} ${request.url}: ${response.code} ${response.text().slice(0, 300)}`;
  // What a request is about may not be there, or not in that state; but it is one that can be judged.
  const refused = [404, 409, 422].includes(response.code);
  assert(response.code < 300 || (refused && item.request.url.variables.count() + request.method !== "0GET"), said);
  if (response.code < 300) done += 1;
}
console.log(`collection: ${executions.length} requests, ${done} done, ${executions.length - done} refused for the demo's data`);
