/** The answer: a sentence, and where there are several places one for each of them. */
import type { Advice } from "@/api/types";
import { Unbroken } from "@/components/ui/Unbroken";
import { useSettled } from "@/lib/useSettled";
import { groupKey, headlineOf } from "../data";

/** Who has the page read out hears the answer once it has come to rest. */
const REST_MS = 600;

type Props = { advice: Advice | undefined; isEmpty: boolean };

export function AdviceText({ advice, isEmpty }: Props) {
  const headline = isEmpty
    ? "There is no message to send."
    : advice === undefined
      ? "Which transport comes first for these messages?"
      : headlineOf(advice);
  const groups = isEmpty || advice === undefined ? [] : advice.groups;
  const spoken = useSettled([headline, ...answersOf(groups)].join(" "), REST_MS);
  return (
    <>
      <h1>
        <Unbroken text={headline} />
      </h1>
      {groups.length > 1 && (
        <ul className="meeting">
          {groups.map((group) => (
            <li key={groupKey(group)}>
              <Unbroken text={group.answer} />
            </li>
          ))}
        </ul>
      )}
      <p className="visually-hidden" role="status">
        {spoken}
      </p>
    </>
  );
}

function answersOf(groups: Advice["groups"]): string[] {
  return groups.length > 1 ? groups.map(({ answer }) => answer) : [];
}
