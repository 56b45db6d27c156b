/** Makes a code that lets one agent in, and says what to type on its machine. */
import { type FormEvent, useRef, useState } from "react";
import { createEnrolment } from "@/api/lab";
import type { EnrolmentCode, EnrolmentRequest, SessionInfo } from "@/api/types";
import { Field, FormError } from "@/components/form/Field";
import { Secret } from "@/components/form/Secret";
import { CommandLine } from "@/components/ui/CommandLine";
import { refusal } from "@/lib/access";
import { labelsOf } from "@/lib/agents";
import { formatClock } from "@/lib/time";
import { useChange } from "@/lib/useChange";
import { useNow } from "@/lib/useNow";

/** Those beside which the server’s words stand. */
const FIELDS = ["machine", "labels", "project"];

type Props = { project: string; session: SessionInfo };

export function AddMachine({ project, session }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [made, setMade] = useState<EnrolmentCode | null>(null);
  const making = useChange(createEnrolment, []);
  const { error } = making;
  const isRunning = refusal(session, project, "run-server") === null;
  const make = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    making.mutate(requestOf(new FormData(event.currentTarget), project), {
      onSuccess: (code) => {
        form.current?.reset();
        setMade(code);
      },
    });
  };
  if (made !== null) return <Made made={made} onDone={() => setMade(null)} />;
  return (
    <form className="form" ref={form} onSubmit={make} aria-label="Add a machine">
      <p>
        A code lets one agent in, once, within ten minutes. The machine asks this server for work; nothing
        connects to it.
      </p>
      <Field
        label="Machine"
        name="machine"
        error={error}
        note="The only one that the code is good for; the agent that it has is replaced. Empty: any that has none."
      >
        {(input) => <input {...input} placeholder="any" spellCheck={false} autoComplete="off" />}
      </Field>
      <Field
        label="Labels"
        name="labels"
        error={error}
        note="What it has, for jobs that ask for it: lower-case letters, digits and hyphens, with commas between."
      >
        {(input) => <input {...input} placeholder="none" spellCheck={false} autoComplete="off" />}
      </Field>
      {isRunning && (
        <Field label="Works for" name="project" error={error}>
          {(input) => (
            <select {...input} defaultValue={project}>
              <option value={project}>this project</option>
              <option value="">any project</option>
            </select>
          )}
        </Field>
      )}
      <FormError error={error} fields={FIELDS} />
      <div className="controls">
        <button type="submit" className="button" disabled={making.isPending}>
          Make a code
        </button>
      </div>
    </form>
  );
}

function Made({ made: { code, expires_at }, onDone }: { made: EnrolmentCode; onDone: () => void }) {
  const ends = new Date(expires_at);
  const isOver = useNow() >= ends;
  return (
    <Secret title="The code for one agent" secret={code} onDone={onDone}>
      <p className={isOver ? "warning" : undefined}>
        {isOver ? "It ended at" : "It is good until"} {formatClock(ends)}, once.
      </p>
      <p>On the machine, type this; it asks for the code:</p>
      <CommandLine command={`roundtrip enrol --server ${window.location.origin}`} />
      <p>Then let it work, for as long as the command runs,</p>
      <CommandLine command="roundtrip agent" />
      <p>or from every start of the machine on:</p>
      <CommandLine command="sudo roundtrip service install" />
    </Secret>
  );
}

/** What is asked for by what the form holds; a project that is not offered is this one. */
function requestOf(data: FormData, project: string): EnrolmentRequest {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const bound = data.has("project") ? text("project") : project;
  return {
    labels: labelsOf(text("labels")),
    ...(bound !== "" && { project: bound }),
    ...(text("machine") !== "" && { machine: text("machine") }),
  };
}
