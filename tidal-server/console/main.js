// The console: who, which profile, and the feed that comes of it.
//
// What is shown is in `view`; the address carries it after the ?, so that a reload or a link shows the same:
// /?user=196&profile=trending

import * as api from "./api.js";
import { card, titleOf, words } from "./card.js";
import { element, icon } from "./element.js";
import { watch } from "./import.js";
import * as people from "./people.js";

const LIMIT = 20;
const TOAST_MS = 8000;
// Profiles with a tab of their own.
const TABS = 4;

const $ = (id) => document.getElementById(id);
const view = { user: null, profile: "for_you", query: "", similarTo: null, similarTitle: "" };
let profiles = [];
let signals = [];
let relations = {};
// Counts loads, so that an answer that comes after a later question is dropped.
let load = 0;

// ---- address

function readAddress() {
  const parts = new URLSearchParams(location.search);
  view.user = parts.get("user") ? api.idOf(parts.get("user")) : null;
  view.profile = parts.get("profile") ?? "for_you";
  view.query = parts.get("query") ?? "";
  view.similarTo = parts.get("like") ? api.idOf(parts.get("like")) : null;
  $("search-input").value = view.query;
}

function address() {
  const parts = new URLSearchParams();
  if (view.user !== null) parts.set("user", api.textOf(view.user));
  parts.set("profile", view.profile);
  if (view.query) parts.set("query", view.query);
  if (view.similarTo !== null) parts.set("like", api.textOf(view.similarTo));
  return `?${parts}`;
}

function go(change) {
  Object.assign(view, change);
  if (address() !== location.search) history.pushState(null, "", address());
  refresh();
}

// ---- feed

async function refresh() {
  const mine = ++load;
  showHead();
  showProfiles();
  people.select(view.user);
  if (view.user === null && !view.query && view.similarTo === null) return;
  $("cards").setAttribute("aria-busy", "true");
  try {
    const [answer, known] = await Promise.all([ask(), view.user === null ? {} : api.relations(view.user)]);
    if (mine !== load) return;
    relations = known;
    showAnswer(answer);
    showChoices();
  } catch (failure) {
    if (mine !== load) return;
    $("cards").replaceChildren();
    $("stats").textContent = "";
    messages([[failure.message, "bad"]]);
  } finally {
    if (mine === load) $("cards").removeAttribute("aria-busy");
  }
}

function ask() {
  const common = { limit: LIMIT, ...(view.user === null ? {} : { user: view.user }) };
  if (view.query) return api.search({ query: view.query, ...common });
  if (view.similarTo !== null) return api.retrieve({ profile: "related", similar_to: view.similarTo, ...common });
  return api.retrieve({ profile: view.profile, ...common });
}

function showAnswer(answer) {
  const notes = answer.warnings.map((warning) => [warning, "note"]);
  if (!answer.constraints_satisfied) {
    notes.push(["Rules of diversity gave way, so that the feed is not shorter than it could be.", "note"]);
  }
  if (answer.results.length === 0) notes.push([nothing(), "empty"]);
  messages(notes);
  const largest = Math.max(...answer.results.map((hit) => hit.score), 0);
  const follows = relations.follow ?? [];
  $("cards").replaceChildren(...answer.results.map((hit) => card(hit, {
    largest,
    following: follows.some((id) => api.same(id, hit.creator)),
    actions: actions(),
  })));
  const { candidates, filtered, scored } = answer.stats;
  $("stats").textContent = `${candidates} candidates, ${filtered} left out, ${scored} scored`;
}

function nothing() {
  if (view.query) return "Nothing matches these words.";
  if (view.profile === "following" && view.similarTo === null) return "Nothing new from those this person follows.";
  return "Nothing to show yet.";
}

function messages(list) {
  $("messages").replaceChildren(...list.map(([text, kind]) => element("p", { class: `message ${kind}` }, text)));
}

function showHead() {
  const person = view.user === null ? null : people.find(view.user);
  const about = person ? people.describe(person) : "";
  $("refresh").hidden = view.user === null;
  if (view.query) {
    $("heading").textContent = `Results for \u201c${view.query}\u201d`;
  } else if (view.similarTo !== null) {
    $("heading").textContent = `More like ${view.similarTitle || view.similarTo}`;
  } else {
    $("heading").textContent = view.user === null ? "Pick a person" : `Feed of person ${view.user}`;
  }
  const whose = view.user === null ? "" : `For person ${view.user}${about ? ` (${about})` : ""}`;
  const plain = !view.query && view.similarTo === null;
  $("subheading").textContent = (plain ? about : whose) || "The feed is ranked for one person at a time.";
}

function showProfiles() {
  const special = view.query || view.similarTo !== null;
  const back = special && element("button", {
    type: "button",
    class: "profile back",
    onclick: () => {
      $("search-input").value = "";
      go({ query: "", similarTo: null });
    },
  }, [icon("back"), "Back to the feed"]);
  const choose = (name) => {
    $("search-input").value = "";
    go({ profile: name, query: "", similarTo: null });
  };
  const tabs = profiles.slice(0, TABS).map((name) => element("button", {
    type: "button",
    class: "profile",
    "data-profile": name,
    "aria-pressed": String(!special && name === view.profile),
    onclick: () => choose(name),
  }, words(name)));
  $("profiles").replaceChildren(...[back, ...tabs, moreProfiles(special, choose)].filter(Boolean));
}

// The profiles that have no tab of their own, in a list.
function moreProfiles(special, choose) {
  const rest = profiles.slice(TABS);
  if (rest.length === 0) return null;
  const chosen = !special && rest.includes(view.profile);
  const options = rest.map((name) => element("option", { value: name, selected: chosen && name === view.profile }, words(name)));
  return element("select", {
    class: chosen ? "profile chosen" : "profile",
    "aria-label": "More profiles",
    onchange: (event) => choose(event.target.value),
  }, [element("option", { value: "", disabled: true, selected: !chosen }, "more"), ...options]);
}

// ---- actions

function actions() {
  const similar = (hit, _button, title) => {
    $("search-input").value = "";
    go({ similarTo: hit.id, similarTitle: title, query: "" });
    window.scrollTo(0, 0);
  };
  if (view.user === null) return { similar };
  const all = { similar, hide, follow, block };
  if (signals.includes("like")) all.like = (hit, button) => opinion("like", hit, button);
  // Where a schema has no dislike, a skip says the same.
  const against = ["dislike", "skip"].find((name) => signals.includes(name));
  if (against) all.dislike = (hit, button) => opinion(against, hit, button);
  return all;
}

async function opinion(name, hit, button) {
  await attempt(async () => {
    await api.signal(name, view.user, hit.id);
    button.setAttribute("aria-pressed", "true");
    button.disabled = true;
    toast(name === "like" ? "Liked. The next feed knows." : "Noted. The next feed knows.", "Refresh", refresh);
  });
}

async function hide(hit, _button, title) {
  const user = view.user;
  const target = { item: hit.id };
  leave((node) => node.dataset.id === String(hit.id));
  const hidden = await attempt(() => api.relate("hide", user, target));
  if (!hidden) return refresh();
  toast(`${title} is hidden.`, "Undo", () => undo("hide", user, target));
  await updateChoices();
}

async function block(hit, name) {
  const user = view.user;
  const target = { creator: hit.creator };
  const blocked = await attempt(() => api.relate("block", user, target));
  if (!blocked) return;
  toast(`${name} is blocked.`, "Undo", () => undo("block", user, target));
  await refresh();
}

async function follow(hit, name) {
  const user = view.user;
  const following = (relations.follow ?? []).some((id) => api.same(id, hit.creator));
  const change = following ? api.unrelate : api.relate;
  const changed = await attempt(() => change("follow", user, { creator: hit.creator }));
  if (!changed) return;
  toast(following ? `${name} is not followed any more.` : `${name} is followed.`);
  await refresh();
}

async function undo(relation, user, target) {
  if (await attempt(() => api.unrelate(relation, user, target))) await refresh();
}

function leave(matches) {
  for (const node of $("cards").children) {
    if (!matches(node)) continue;
    const next = node.nextElementSibling ?? node.previousElementSibling;
    node.remove();
    // Who works with the keyboard goes on from the neighbour.
    next?.querySelector("button.hide")?.focus({ preventScroll: true });
    return;
  }
}

// Whether it worked; if not, the reason is shown.
async function attempt(work) {
  try {
    await work();
    return true;
  } catch (failure) {
    toast(failure.message);
    return false;
  }
}

function toast(text, label, action) {
  const node = element("div", { class: "toast" }, element("span", {}, text));
  const close = () => node.remove();
  if (label) {
    node.append(element("button", { type: "button", class: "undo", onclick: () => { close(); action(); } }, label));
  }
  node.append(element("button", { type: "button", class: "close", "aria-label": "Dismiss", onclick: close }, icon("close")));
  $("toasts").replaceChildren(node);
  setTimeout(close, TOAST_MS);
}

// ---- follows, hides, blocks

async function updateChoices() {
  await attempt(async () => {
    relations = await api.relations(view.user);
    await showChoices();
  });
}

async function showChoices() {
  const mine = load;
  const user = view.user;
  if (user === null) return;
  const parts = [];
  for (const [relation, key, kind, label] of [
    ["follow", "creator", "creators", "Follows"],
    ["hide", "item", "items", "Hidden"],
    ["block", "creator", "creators", "Blocked"],
  ]) {
    const ids = relations[relation] ?? [];
    const rows = await Promise.all(ids.map(async (id) => {
      // Something hidden may have been removed since.
      const entity = await api.entity(kind, id).catch(() => null);
      const name = titleOf(entity?.metadata, id);
      return element("li", {}, [
        element("span", {}, name),
        element("button", {
          type: "button",
          class: "quiet",
          "aria-label": `Undo: ${label} ${name}`,
          onclick: () => undo(relation, user, { [key]: id }),
        }, "Undo"),
      ]);
    }));
    const list = rows.length > 0 ? element("ul", { class: "choices" }, rows) : element("p", { class: "muted small" }, "None.");
    parts.push(element("h3", {}, label), list);
  }
  if (mine === load) $("choices").replaceChildren(...parts);
}

// ---- start

people.onPick((person) => {
  $("search-input").value = "";
  go({ user: person.id, query: "", similarTo: null });
  if (matchMedia("(max-width: 50rem)").matches) $("people-fold").open = false;
});

$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const query = $("search-input").value.trim();
  if (query) go({ query, similarTo: null });
  else if (view.query) go({ query: "" });
});
$("refresh").addEventListener("click", refresh);
window.addEventListener("popstate", () => {
  readAddress();
  refresh();
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    $("search-input").focus();
  }
});

async function start() {
  readAddress();
  [profiles, signals] = await Promise.all([api.profiles(), api.signalNames()]);
  profiles = ordered(profiles);
  await people.load();
  let busy = false;
  watch(async (done) => {
    if (busy && !done) return;
    busy = true;
    await attempt(async () => {
      await people.load();
      if (view.user === null && !view.query && people.first()) {
        view.user = people.first().id;
        history.replaceState(null, "", address());
      }
      // While data still comes in, a feed that is being read is left alone.
      if (done || $("cards").children.length === 0) await refresh();
    });
    busy = false;
  });
  await refresh();
}

// The ones a person wants first come first; `related` and `search` need an item or words and have their own places.
function ordered(names) {
  const first = ["for_you", "following", "trending", "new"].filter((name) => names.includes(name));
  const rest = names.filter((name) => !first.includes(name) && name !== "related" && name !== "search");
  return [...first, ...rest];
}

start().catch((failure) => messages([[failure.message, "bad"]]));
