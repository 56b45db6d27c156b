/** The answer: a sentence, and where there are several places one for each of them. */
import type { Advice } from "@/api/types";
import { Unbroken } from "@/components/ui/Unbroken";
import { useSettled } from "@/lib/useSettled";
import { groupKey, groupName, headlineOf, sentencesOf } from "../data";

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
      <ul className="meeting">
        {groups.length === 1
          ? sentencesOf(groups[0]?.answer ?? "")
              .slice(1)
              .map((sentence) => <li key={sentence}>{sentence}</li>)
          : groups.map((group) => (
              <li key={groupKey(group)}>
                <strong>
                  <Unbroken text={groupName(group, groups)} />
                </strong>
                : {group.answer}
              </li>
            ))}
      </ul>
      <p className="visually-hidden" role="status">
        {spoken}
      </p>
    </>
  );
}

function answersOf(groups: Advice["groups"]): string[] {
  return groups.length > 1 ? groups.map((group) => `${groupName(group, groups)}: ${group.answer}`) : [];
}
