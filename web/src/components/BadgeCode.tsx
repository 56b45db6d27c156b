/** A badge and the code to embed it. */
import { CommandLine } from "@/components/ui/text";
import { type Badge, badgeHtml, badgeMarkdown } from "@/lib/badges";
import { applicationRoot } from "@/lib/site";

export function BadgeCode({ badge }: { badge: Badge }) {
  const root = applicationRoot();
  return (
    <div className="badge-code">
      <img src={`${root}${badge.src}`} alt={badge.alt} height={20} />
      <p className="muted">Markdown</p>
      <CommandLine command={badgeMarkdown(badge, root)} />
      <p className="muted">HTML</p>
      <CommandLine command={badgeHtml(badge, root)} />
    </div>
  );
}
