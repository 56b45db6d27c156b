/** Whose traffic is shown, and what was measured below it. */
import { useNavigate } from "@tanstack/react-router";
import type { Place } from "@/api/place";
import type { SizeProfile } from "@/api/types";
import { Choice } from "@/components/ui/Choice";
import { modeName, placementName } from "@/lib/vocabulary";
import type { SizesSearch } from "../search";

type Props = { profiles: SizeProfile[]; profile: SizeProfile; place: Place };

export function SizesControls({ profiles, profile, place }: Props) {
  const navigate = useNavigate({ from: "/$project/sizes" });
  const choose = (change: SizesSearch) =>
    navigate({ search: (previous) => ({ ...previous, ...change }), replace: true, resetScroll: false });
  return (
    <div className="controls sweep-controls">
      <Choice
        label="Traffic"
        values={profiles.map(({ slug }) => slug)}
        name={(slug) => profiles.find((entry) => entry.slug === slug)?.title ?? slug}
        value={profile.slug}
        onChange={(slug) => choose({ profile: slug })}
      />
      <Choice
        label="Machine"
        values={place.machines}
        name={(machine) => machine}
        value={place.machine}
        onChange={(machine) => choose({ machine })}
      />
      <Choice
        label="Mode"
        values={place.modes}
        name={(mode) => modeName(mode)}
        value={place.mode}
        onChange={(mode) => choose({ mode })}
      />
      <Choice
        label="Placement"
        values={place.placements}
        name={placementName}
        value={place.placement}
        onChange={(placement) => choose({ placement })}
      />
    </div>
  );
}
