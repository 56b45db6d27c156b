/** A search for changes with other settings: the mock's steps are told whatever is set, except a small one. */
import type { components } from "@/api/schema.gen";
import { changesOf } from "../world/changes";
import type { MockSeries } from "../world/series";
import type { World } from "../world/world";

type Playground = components["schemas"]["Playground"];

const SHIPPED: Playground["settings"] = {
  deviations: 4.7,
  least: 0.01,
  least_of_noisy: 0.03,
  persistence: 4,
  window: 256,
  memory: 512,
  sure: 0.95,
  patience: 60,
};

/** What a search tells of a series. */
export function playgroundOf(
  world: World,
  series: MockSeries,
  asked: Partial<Record<string, string>>,
): Playground {
  const settings = { ...SHIPPED };
  for (const name of Object.keys(settings) as (keyof typeof settings)[]) {
    if (asked[name] !== undefined) settings[name] = Number(asked[name]);
  }
  const all = world.pointsOf(series);
  const environment_id = Number(asked.environment ?? all.at(-1)?.environment_id ?? 0);
  const points = all
    .filter((point) => point.environment_id === environment_id)
    .slice(-Number(asked.last ?? 1000));
  const told = (least: number, persistence: number) =>
    changesOf(world, [series])
      .filter((change) => change.environment_id === environment_id && Math.abs(change.change) >= least)
      .map((change) => ({
        commit_ordinal: change.commit_ordinal,
        after_commit_ordinal: change.after_commit_ordinal,
        until_commit_ordinal: change.until_commit_ordinal,
        told_by_commit_ordinal: change.commit_ordinal + persistence - 1,
        before_ns: change.before_ns,
        after_ns: change.after_ns,
        change: change.change,
        direction: change.direction,
        matters: change.matters,
      }));
  const change_points = told(settings.least, settings.persistence);
  return {
    settings,
    shipped: SHIPPED,
    environment_id,
    environments: [...new Set(all.map((point) => point.environment_id))].map((id) => ({
      environment_id: id,
      point_count: all.filter((point) => point.environment_id === id).length,
    })),
    commit_ordinals: points.map(({ commit_ordinal }) => commit_ordinal),
    values_ns: points.map(({ repetition_p50_ns }) => repetition_p50_ns.median),
    looks: points.map((point) => lookOf(point.commit_ordinal, change_points)),
    change_points,
    shipped_change_points: told(SHIPPED.least, SHIPPED.persistence),
  };
}

function lookOf(ordinal: number, changes: Playground["change_points"]): Playground["looks"][number] {
  const telling = changes.find(
    (change) => change.commit_ordinal <= ordinal && ordinal <= change.told_by_commit_ordinal,
  );
  if (telling === undefined)
    return { outcome: "nothing", commit_ordinal: null, strength: null, probability: null };
  const { commit_ordinal, told_by_commit_ordinal } = telling;
  return ordinal === told_by_commit_ordinal
    ? { outcome: "told", commit_ordinal, strength: null, probability: 0.98 }
    : { outcome: "waiting", commit_ordinal, strength: 0.6, probability: null };
}
