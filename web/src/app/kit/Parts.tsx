/** The components of `components/ui`. */
import { ApiError } from "@/api/errors";
import { BudgetBar, BudgetLegend } from "@/components/BudgetBar";
import {
  Button,
  Choice,
  CopyButton,
  Fold,
  Menu,
  optionsOf,
  Segmented,
  SelectField,
  TextButton,
} from "@/components/ui/controls";
import { Breadcrumb, ErrorState, NothingMeasured, PageSkeleton, Section } from "@/components/ui/states";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import {
  CommandLine,
  CommitName,
  Facts,
  NotStated,
  Quoted,
  Sentences,
  StateMark,
  TimeText,
  Unbroken,
  Warnings,
} from "@/components/ui/text";
import { budgetsOf, partsIn } from "@/lib/budget";
import { aBudgetSeries, aCommit } from "@/test/fixtures";

const nothing = () => {};
const LONG = "a-machine-with-a-very-long-name-that-does-not-fit-into-its-column";
const ROWS = [
  { name: "pipe", ns: 4020, change: "+15.4 %" },
  { name: LONG, ns: 4_812_330, change: "−2.1 %" },
];
const SHAPES = ["full", "half", "empty", "cross", "alarm"] as const;
const BUDGETS = budgetsOf(aBudgetSeries([1]));

export function Parts() {
  return (
    <>
      <Section title="Buttons">
        <div className="controls">
          <Button>Queue job</Button>
          <Button disabled>Disabled</Button>
          <TextButton>Text button</TextButton>
          <TextButton aria-pressed>Pressed</TextButton>
          <CopyButton label="Copy" content={() => ""} />
          <Menu label="Menu">
            <TextButton>Entry</TextButton>
          </Menu>
        </div>
        <Fold summary="Folded">Content</Fold>
      </Section>
      <Section title="Choices">
        <div className="controls">
          <Segmented label="Rank by" options={optionsOf(["p50", "p99"])} value="p50" onChange={nothing} />
          <SelectField
            label="Machine"
            options={optionsOf(["lab-1", LONG])}
            value="lab-1"
            onChange={nothing}
          />
          <Choice label="None" values={["one"]} name={String} value="one" onChange={nothing} />
          <label className="field">
            <input type="checkbox" defaultChecked />
            Include muted
          </label>
        </div>
      </Section>
      <Section title="Text">
        <Breadcrumb>
          <a href="#kit">Regressions</a>
          <span>Regression 9</span>
        </Breadcrumb>
        <p className="lede">
          A lede, <a href="#kit">error rates</a> and a number: <TimeText ns={4020} />.
        </p>
        <p>
          <CommitName commit={aCommit()} subject /> <Quoted text="one more `sendmsg`" /> <NotStated />
        </p>
        <p>
          <Unbroken text={`fastest on ${LONG}`} />
        </p>
        <Warnings texts={["Newest run: debug build. Do not compare its results."]} />
        <Facts
          facts={[
            { name: "Kernel", value: "6.12.4" },
            { name: "Governor", value: "performance" },
          ]}
        />
        <Sentences of={["Canaries stable", "Controls stable"]} />
        <CommandLine command="roundtrip ab --of revision --base HEAD~1 --head HEAD" />
        <ul>
          {SHAPES.map((shape) => (
            <li key={shape}>
              <StateMark state={{ word: shape, shape, because: shape === "cross" ? "no heartbeat" : null }} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Table">
        <RowTable
          label="Kit rows"
          rows={ROWS}
          keyOf={({ name }) => name}
          columns={[
            [rowHead("Transport"), ({ name }) => name],
            [numeric("p50"), ({ ns }) => <TimeText ns={ns} />],
            [numeric("Change"), ({ change }) => change],
          ]}
        />
      </Section>
      <Section title="Time budget">
        {BUDGETS.map((budget) => (
          <BudgetBar key={budget.ordinal} budget={budget} />
        ))}
        <BudgetLegend parts={partsIn(BUDGETS)} />
      </Section>
      <Section title="Empty">
        <NothingMeasured title="No round trips yet" lede="The sweep needs sizes." command="roundtrip run" />
      </Section>
      <Section title="Loading">
        <PageSkeleton />
      </Section>
      <Section title="Error">
        <ErrorState
          error={new ApiError("The database did not answer.", 503, "Unavailable", "req-7")}
          onRetry={nothing}
          heading="h2"
        />
      </Section>
    </>
  );
}
