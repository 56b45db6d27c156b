/** Makes a token: for whom, for what, for how long. */
import { type FormEvent, useRef, useState } from "react";
import { tokensQuery } from "@/api/queries";
import { createToken } from "@/api/tokens";
import type { IssuedToken, SessionInfo, TokenKind, TokenRequest } from "@/api/types";
import { Field, FormError } from "@/components/form/Field";
import { refusal } from "@/lib/access";
import { useChange } from "@/lib/useChange";
import { KINDS, SCOPE_MEANINGS, SCOPES } from "../data";

const DAYS_USUAL = 90;
const DAYS_MAX = 3650;
/** Those beside which the server’s words stand. */
const FIELDS = ["name", "kind", "project", "machine", "expires_in_days"];

type Props = { project: string; session: SessionInfo; onIssued: (issued: IssuedToken) => void };

export function TokenForm({ project, session, onIssued }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [kind, setKind] = useState<TokenKind>("agent");
  const making = useChange(createToken, [tokensQuery.queryKey]);
  const isRunning = refusal(session, project, "run-server") === null;
  // A token of one's own takes the scope admin, as the server says.
  const kinds = (Object.keys(KINDS) as TokenKind[]).filter(
    (name) => name !== "user" || session.scopes.includes("admin"),
  );
  const make = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    making.mutate(requestOf(new FormData(event.currentTarget), kind, project), {
      onSuccess: (issued) => {
        form.current?.reset();
        setKind("agent");
        onIssued(issued);
      },
    });
  };
  const { error } = making;
  return (
    <form className="form" ref={form} onSubmit={make} aria-label="Make a token">
      <Field label="Name" name="name" error={error} note="What it is for, in your words.">
        {(input) => <input {...input} required maxLength={100} autoComplete="off" />}
      </Field>
      <Field label="Used by" name="kind" error={error}>
        {(input) => (
          <select
            {...input}
            value={kind}
            onChange={({ target }) => setKind(kinds.find((name) => name === target.value) ?? "agent")}
          >
            {kinds.map((name) => (
              <option key={name} value={name}>
                {KINDS[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <fieldset className="field field-wide">
        <legend>Allows</legend>
        <div className="field-body" key={kind}>
          {SCOPES[kind].possible.map((scope) => (
            <label key={scope} className="choice">
              <input
                type="checkbox"
                name="scopes"
                value={scope}
                defaultChecked={SCOPES[kind].usual.includes(scope)}
              />
              <span>
                {scope} <span className="muted">{SCOPE_MEANINGS[scope]}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {kind === "agent" && (
        <Field
          label="Machine"
          name="machine"
          error={error}
          note="The only one that it uploads for; it need not exist yet. Empty: any."
        >
          {(input) => <input {...input} spellCheck={false} autoComplete="off" placeholder="any" />}
        </Field>
      )}
      {(isRunning || kind === "user") && (
        <Field label="Good for" name="project" error={error}>
          {(input) => (
            <select {...input} defaultValue={project}>
              <option value={project}>this project</option>
              <option value="">any project</option>
            </select>
          )}
        </Field>
      )}
      <Field label="Valid for, days" name="expires_in_days" error={error}>
        {(input) => (
          <input {...input} type="number" min={1} max={DAYS_MAX} defaultValue={DAYS_USUAL} required />
        )}
      </Field>
      <FormError error={error} fields={FIELDS} />
      <div className="controls">
        <button type="submit" className="button" disabled={making.isPending}>
          Make token
        </button>
      </div>
    </form>
  );
}

/** What is asked for by what the form holds; a project that is not offered is this one. */
function requestOf(data: FormData, kind: TokenKind, project: string): TokenRequest {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const chosen = data.getAll("scopes");
  const bound = data.has("project") ? text("project") : project;
  return {
    name: text("name"),
    kind,
    scopes: SCOPES[kind].possible.filter((scope) => chosen.includes(scope)),
    expires_in_days: Number(text("expires_in_days")),
    ...(bound !== "" && { project: bound }),
    ...(text("machine") !== "" && { machine: text("machine") }),
  };
}
