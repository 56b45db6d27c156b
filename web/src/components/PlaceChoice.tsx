/** Selects machine, mode and placement, where there is more than one. */
import type { ReactNode } from "react";
import type { Place } from "@/api/place";
import { modeName, placementName } from "@/lib/vocabulary";
import { Choice } from "./ui/controls";

type Props = {
  place: Place;
  ends?: number;
  onChoose: (change: { machine: string } | { mode: string } | { placement: string }) => void;
  children?: ReactNode;
};

export function PlaceChoice({ place, ends, onChoose, children }: Props) {
  return (
    <>
      <Choice
        label="Machine"
        values={place.machines}
        name={(machine) => machine}
        value={place.machine}
        onChange={(machine) => onChoose({ machine })}
      />
      {children}
      <Choice
        label="Mode"
        values={place.modes}
        name={(mode) => modeName(mode, ends)}
        value={place.mode}
        onChange={(mode) => onChoose({ mode })}
      />
      <Choice
        label="Placement"
        values={place.placements}
        name={placementName}
        value={place.placement}
        onChange={(placement) => onChoose({ placement })}
      />
    </>
  );
}
