// How far the import is, while there is one.

import * as api from "./api.js";
import { count } from "./element.js";

const EVERY_MS = 700;

const section = document.getElementById("import");
const title = document.getElementById("import-title");
const detail = document.getElementById("import-detail");
const bar = document.getElementById("import-bar");
const source = document.getElementById("source");

const TITLES = {
  fetching: "Getting the data",
  learning: "Learning item vectors",
  writing: "Importing",
  failed: "The import failed",
};

// Calls `changed(isDone)` whenever there is more to see than before, until all is there.
export async function watch(changed) {
  let seen = -1;
  for (;;) {
    let state;
    try {
      state = await api.ready();
    } catch (failure) {
      show({ phase: "failed", detail: failure.message });
      await pause();
      continue;
    }
    source.textContent = state.import?.source ?? "";
    if (state.ready) {
      section.hidden = true;
      changed(true);
      return;
    }
    show(state.import);
    if (state.import.done !== seen) {
      seen = state.import.done;
      changed(false);
    }
    await pause();
  }
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, EVERY_MS));
}

function show(state) {
  section.hidden = false;
  section.classList.toggle("bad", state.phase === "failed");
  title.textContent = TITLES[state.phase] ?? "Importing";
  if (state.total > 0 && state.phase === "writing") {
    detail.textContent = `${count(state.done)} of ${count(state.total)} writes; what is here can be ranked already`;
    bar.value = state.done / state.total;
  } else {
    detail.textContent = state.detail;
    bar.removeAttribute("value");
  }
  bar.hidden = state.phase === "failed";
}
