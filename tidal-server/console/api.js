// The server's routes, the same that every other client calls.

// What the server says about a request that it refused, or why it could not be reached.
export class Failure extends Error {
  constructor(message, field = null) {
    super(field ? `${field}: ${message}` : message);
  }
}

async function call(method, path, body) {
  const request = { method, headers: { accept: "application/json" } };
  if (body !== undefined) {
    request.headers["content-type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new Failure("The server cannot be reached. Is it still running?");
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok) {
    throw new Failure(answer?.detail ?? `The server answered with status ${response.status}.`, answer?.field);
  }
  return answer;
}

// Not ready is an answer here, not a failure.
export async function ready() {
  try {
    return await (await fetch("/ready")).json();
  } catch {
    throw new Failure("The server cannot be reached. Is it still running?");
  }
}

// A page of at most 1000 users, without those that were removed.
export async function users(from, limit) {
  const page = await call("GET", `/users?from=${from}&limit=${limit}`);
  return { total: page.total, users: page.entities.filter((user) => user !== null) };
}

export const profiles = async () => (await call("GET", "/profiles")).profiles;
export const signalNames = async () => (await call("GET", "/schema")).signals.map((signal) => signal.name);
export const retrieve = (request) => call("POST", "/retrieve", { fields: true, explain: true, ...request });
export const search = (request) => call("POST", "/search", { fields: true, explain: true, ...request });
export const signal = (name, user, item) => call("POST", "/signals", { signal: name, user, item });
export const relate = (relation, user, target) => call("POST", "/relations", { relation, user, ...target });
export const unrelate = (relation, user, target) => call("DELETE", "/relations", { relation, user, ...target });
export const relations = (user) => call("GET", `/users/${pathOf(user)}/relations`);
export const entity = (kind, id) => call("GET", `/${kind}/${pathOf(id)}`);

// In a path and in an address digits are the number, and a text stands in quotes.
export const textOf = (id) => typeof id === "number" ? String(id) : `"${id}"`;
export const pathOf = (id) => encodeURIComponent(textOf(id));

// The quotes may be missing where the text is not all digits.
export function idOf(text) {
  if (/^[0-9]+$/.test(text)) return Number(text);
  return /^".*"$/s.test(text) ? text.slice(1, -1) : text;
}

// Two ids are the same only if their types are: 17 is not "17".
export const same = (a, b) => a === b;
