// Scores, and explanations, which are read by block when one of the block is first shown.

import { metric } from "./shown-metric.js";
import { data, inflated } from "./dom.js";
import { state } from "./state.js";

export const score = (system, segment) => metric().scores[system][segment];
export const blocks = new Map(); // by id; a promise while the block is read
export const blockId = (segment) => `explained-${state.metric}-${Math.floor(segment / data.block)}`;

// Resolves when the explanations of a segment can be shown.
export function load(segment) {
  const id = blockId(segment);
  if (!blocks.has(id)) {
    const text = document.getElementById(id)?.textContent;
    const read = text ? inflated(text).catch(() => null) : Promise.resolve(null);
    blocks.set(id, read.then((block) => { blocks.set(id, block); }));
  }
  return Promise.resolve(blocks.get(id));
}
export const isLoaded = (segment) => blocks.has(blockId(segment)) && !(blocks.get(blockId(segment)) instanceof Promise);
export const explainedOf = (system, segment) => blocks.get(blockId(segment))?.explained?.[segment]?.[system];
const placesOf = () => (metric().sets ??= metric().places?.map((places) => new Set(places)) ?? null);
// Whether the report has the explanation of an output.
export const isExplained = (system, segment) => metric().explained !== null && (placesOf()?.[system].has(segment) ?? true);
