// The list of people: loaded once, searched here.

import * as api from "./api.js";
import { count, element } from "./element.js";

const PAGE = 1000;
const MOST_LOADED = 5000;
const MOST_SHOWN = 60;

const input = document.getElementById("people-input");
const list = document.getElementById("people-list");
const total = document.getElementById("people-count");
const more = document.getElementById("people-more");

let people = [];
let selected = null;
let picked = () => {};

export function onPick(callback) {
  picked = callback;
}

// Loads everyone anew, up to a bound that keeps the page quick.
export async function load() {
  const loaded = [];
  let all = 0;
  for (let from = 0; from < MOST_LOADED; from += PAGE) {
    const page = await api.users(from, PAGE);
    all = page.total;
    loaded.push(...page.users);
    if (from + PAGE >= all) break;
  }
  people = loaded;
  total.textContent = all > 0 ? count(all) : "";
  show();
}

export function find(id) {
  return people.find((person) => api.same(person.id, id)) ?? null;
}

export function first() {
  return people[0] ?? null;
}

export function select(id) {
  selected = id;
  show();
}

// "31, writer, 120 ratings": what is known, nothing for what is not.
export function describe(person) {
  const { age, occupation, ratings } = person.metadata ?? {};
  return [age, occupation, ratings === undefined ? null : `${count(ratings)} ratings`]
    .filter((part) => part !== null && part !== undefined)
    .join(", ");
}

function matches(person, words) {
  const { age, occupation, gender } = person.metadata ?? {};
  const text = [person.id, age, occupation, gender].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function row(person) {
  const current = selected !== null && api.same(person.id, selected);
  const about = describe(person);
  return element("li", {}, element("button", {
    type: "button",
    class: "person",
    "data-id": person.id,
    "aria-current": current ? "true" : null,
    onclick: () => picked(person),
  }, [
    element("span", { class: "person-id" }, String(person.id)),
    element("span", { class: "person-about" }, about),
  ]));
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  // A number that is somebody's id finds that person first.
  const exact = people.filter((person) => String(person.id) === input.value.trim());
  const found = people.filter((person) => !exact.includes(person) && matches(person, words));
  // Whose feed is shown stays in sight while nobody is looked for.
  const current = words.length === 0 && selected !== null ? find(selected) : null;
  const rest = current ? found.filter((person) => person !== current) : found;
  const shown = [...exact, ...(current ? [current] : []), ...rest].slice(0, MOST_SHOWN);
  list.replaceChildren(...shown.map(row));
  const left = exact.length + found.length - shown.length;
  if (people.length === 0) more.textContent = "Nobody is here yet.";
  else if (shown.length === 0) more.textContent = "Nobody matches.";
  else more.textContent = left > 0 ? `${count(left)} more; type to narrow down` : "";
}

// Up and down move through the list, from the box as well.
function move(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [input, ...list.querySelectorAll("button")];
  const next = stops[stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
  if (next) {
    event.preventDefault();
    next.focus();
  }
}

input.addEventListener("input", show);
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("button")?.click();
});
document.querySelector(".people").addEventListener("keydown", move);
