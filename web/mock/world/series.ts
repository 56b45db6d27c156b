/** All series of the mock: every transport and case on each machine, and two imported ones. */
import type { SeriesSummary } from "@/api/types";
import { anImportedSeries, aSeries } from "@/test/fixtures";
import { operationNs, TRANSPORTS, trafficOf, unsupportedOn } from "./cases";
import { MACHINES, type Machine } from "./machines";

/** A series without its newest point, and the parameters of its figures. */
export type MockSeries = {
  summary: SeriesSummary;
  machine: Machine;
  operation_ns: number;
  unsupported: string | null;
  isImported: boolean;
};

const EMPTY = { latest: null, latest_summary: null };

export function seriesOf(project: string): MockSeries[] {
  return MACHINES.flatMap((machine, place) => {
    const of = { ...EMPTY, project, machine: machine.machine };
    const measured = TRANSPORTS.flatMap((transport) => {
      const { message_ns: _, kib_ns: __, ...info } = transport;
      return trafficOf(transport.slug).map((traffic) => ({
        summary: {
          ...aSeries({ ...of, case: traffic.case, methodology: traffic.methodology }),
          transport: info,
        },
        machine,
        operation_ns: operationNs(transport, traffic),
        unsupported: unsupportedOn(machine.machine, transport.slug, traffic.case),
        isImported: false,
      }));
    });
    const imported = place > 0 ? [] : [anImportedSeries(of), anImportedSeries({ ...of, ...STATED })];
    return [
      ...measured,
      ...imported.map((summary) => ({
        summary: { ...summary, ...EMPTY },
        machine,
        operation_ns: 4000,
        unsupported: null,
        isImported: true,
      })),
    ];
  }).map((series, index) => ({ ...series, summary: { ...series.summary, series_id: index + 1 } }));
}

const STATED = { statistic: "median", case: { benchmark: "BM_Socket/64" } };
