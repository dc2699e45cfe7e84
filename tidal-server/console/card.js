// One result: what it is, why it is here, and what one can do about it.

import { count, element, icon } from "./element.js";

export function titleOf(entity, id) {
  return String(entity?.title ?? entity?.name ?? id);
}

// `actions`: functions of the hit for like, dislike, hide, similar, follow, block, each absent if it cannot be done.
export function card(hit, { largest, following, actions }) {
  const metadata = hit.metadata ?? {};
  const title = titleOf(metadata, hit.id);
  return element("li", { class: "card", "data-id": hit.id }, [
    element("span", { class: "rank", "aria-label": `Rank ${hit.rank}` }, String(hit.rank)),
    element("article", { "aria-label": title }, [
      heading(title, metadata, hit.score, largest),
      byline(hit, following, actions),
      metadata.description ? element("p", { class: "description" }, metadata.description) : null,
      chips(metadata),
      hit.explain ? element("p", { class: "reason" }, hit.explain.reason) : null,
      buttons(hit, title, actions),
      hit.explain ? breakdown(hit) : null,
    ]),
  ]);
}

function heading(title, metadata, score, largest) {
  const share = largest > 0 ? Math.max(0, Math.min(1, score / largest)) : 0;
  return element("div", { class: "card-head" }, [
    element("h2", {}, [title, metadata.year === undefined ? null : element("span", { class: "year" }, String(metadata.year))]),
    element("div", { class: "score", title: `Score ${score}` }, [
      meter(share, "score-bar"),
      element("span", { class: "score-value" }, number(score)),
    ]),
  ]);
}

function byline(hit, following, actions) {
  if (hit.creator === undefined) return null;
  const name = titleOf(hit.creator_metadata, hit.creator);
  const follow = actions.follow && element("button", {
    type: "button",
    class: "follow",
    "aria-pressed": String(following),
    onclick: () => actions.follow(hit, name),
  }, [icon(following ? "following" : "follow"), following ? "Following" : "Follow"]);
  const block = actions.block && element("button", {
    type: "button",
    class: "block",
    "aria-label": `Block ${name}`,
    title: `Block ${name}: none of its items in any feed`,
    onclick: () => actions.block(hit, name),
  }, [icon("block"), "Block"]);
  return element("div", { class: "byline" }, [element("span", { class: "creator" }, name), follow, block]);
}

function chips(metadata) {
  const tags = Object.values(metadata).find(Array.isArray) ?? [];
  if (tags.length === 0) return null;
  return element("ul", { class: "chips", "aria-label": "Genres" }, tags.map((tag) => element("li", {}, tag)));
}

function buttons(hit, title, actions) {
  const button = (name, text) => actions[name] && element("button", {
    type: "button",
    class: `action ${name}`,
    "aria-label": `${text}: ${title}`,
    onclick: (event) => actions[name](hit, event.currentTarget, title),
  }, [icon(name), text]);
  const counts = Object.entries(hit.signals ?? {}).map(([name, value]) => `${count(value)} ${name}`);
  return element("div", { class: "actions" }, [
    button("like", "Like"),
    button("dislike", "Dislike"),
    button("hide", "Hide"),
    button("similar", "More like this"),
    element("span", { class: "muted small counts" }, counts.join(" · ")),
  ]);
}

function breakdown(hit) {
  const { terms, sources } = hit.explain;
  const largest = Math.max(...terms.map((term) => Math.abs(term.value)), 0);
  const rows = terms.map((term) => element("tr", { class: term.value < 0 ? "negative" : null }, [
    element("th", { scope: "row" }, term.name),
    element("td", { class: "bar-cell" }, meter(largest > 0 ? Math.abs(term.value) / largest : 0, "term-bar")),
    element("td", { class: "value" }, number(term.value)),
    element("td", { class: "formula" }, element("code", {}, term.formula)),
  ]));
  const sum = element("tr", { class: "sum" }, [
    element("th", { scope: "row" }, "score"),
    element("td", {}),
    element("td", { class: "value" }, number(hit.score)),
    element("td", { class: "formula muted" }, "the sum of the terms"),
  ]);
  const found = sources.map((source) => element("li", {}, `${words(source.source)}, place ${source.rank}`));
  return element("details", { class: "why" }, [
    element("summary", {}, "How the score is made"),
    element("table", {}, [element("caption", { class: "hidden" }, "Terms of the score"), element("tbody", {}, [...rows, sum])]),
    found.length > 0
      ? element("div", { class: "sources" }, [element("span", { class: "muted small" }, "Found by"), element("ul", { class: "chips" }, found)])
      : null,
  ]);
}

// A bar of a share from 0 to 1, drawn as SVG since the page takes no inline styles.
function meter(share, name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", name);
  svg.setAttribute("viewBox", "0 0 100 4");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  for (const [part, width] of [["track", 100], ["fill", 100 * share]]) {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    rect.setAttribute("class", part);
    rect.setAttribute("width", String(width));
    rect.setAttribute("height", "4");
    svg.append(rect);
  }
  return svg;
}

function number(value) {
  const digits = Math.abs(value) >= 100 ? 1 : 3;
  return value.toFixed(digits).replace("-", "\u2212");
}

export function words(name) {
  return name.replaceAll("_", " ");
}
