/** A badge and the code to embed it. */
import { CommandLine } from "@/components/ui/text";
import { type Badge, badgeHtml, badgeMarkdown } from "@/lib/badges";

export function BadgeCode({ badge }: { badge: Badge }) {
  const { origin } = window.location;
  return (
    <div className="badge-code">
      <img src={badge.src} alt={badge.alt} height={20} />
      <p className="muted">Markdown</p>
      <CommandLine command={badgeMarkdown(badge, origin)} />
      <p className="muted">HTML</p>
      <CommandLine command={badgeHtml(badge, origin)} />
    </div>
  );
}
