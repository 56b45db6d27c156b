/** How long ago something was, with the exact moment for who asks. */
import { formatAgo, formatMoment } from "@/lib/time";
import { useNow } from "@/lib/useNow";

export function Ago({ moment }: { moment: string }) {
  const now = useNow();
  return (
    <time dateTime={moment} title={formatMoment(moment)}>
      {formatAgo(moment, now)}
    </time>
  );
}
