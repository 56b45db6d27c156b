/** What lets programs in: the tokens of a project, made, given another secret, and revoked. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { tokensQuery } from "@/api/queries";
import type { IssuedToken, SessionInfo, TokenKind, TokenRequest, TokenSummary } from "@/api/types";
import { createToken, revokeToken, rotateToken } from "@/api/writes";
import { Confirm, Field, FormError, Loaded, NotAllowed, Secret } from "@/components/form";
import { Section } from "@/components/ui/states";
import { Table, unseen } from "@/components/ui/Table";
import { Ago, CommandLine } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { useChange, useNow } from "@/lib/hooks";
import { KINDS, SCOPE_MEANINGS, SCOPES, tokensOf, validity } from "./data";

/** How long the secret before is accepted beside a new one. */
const OVERLAP_HOURS = 24;

type Props = { project: string; session: SessionInfo };

export function Tokens({ project, session }: Props) {
  const isAllowed = refusal(session, project, "manage-tokens") === null;
  const tokens = useQuery({ ...tokensQuery, enabled: isAllowed });
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  if (!isAllowed) {
    return (
      <Section title="Tokens">
        <NotAllowed
          session={session}
          project={project}
          action="manage-tokens"
          what="make and revoke tokens"
        />
      </Section>
    );
  }
  return (
    <>
      <Section title="Tokens">
        {issued !== null && <Issued issued={issued} onDone={() => setIssued(null)} />}
        <Loaded query={tokens}>
          {(list) => <TokenTable project={project} tokens={tokensOf(list, project)} onIssued={setIssued} />}
        </Loaded>
      </Section>
      <Section title="Make a token">
        <TokenForm project={project} session={session} onIssued={setIssued} />
      </Section>
    </>
  );
}

function Issued({ issued: { token, secret }, onDone }: { issued: IssuedToken; onDone: () => void }) {
  return (
    <Secret title={`The secret of ${token.name}`} secret={secret} onDone={onDone}>
      {token.kind === "agent" && (
        <>
          <p>On the machine, in a file of its own:</p>
          <CommandLine
            command={`roundtrip agent --repository . --upload ${window.location.origin} --token-file agent.token`}
          />
        </>
      )}
    </Secret>
  );
}

type TableProps = {
  project: string;
  tokens: TokenSummary[];
  onIssued: (issued: IssuedToken) => void;
};

function TokenTable({ project, tokens, onIssued }: TableProps) {
  const now = useNow();
  const old = ["/api/v1/tokens"] as const;
  const rotating = useChange((token_id: number) => rotateToken(token_id, OVERLAP_HOURS), old);
  const revoking = useChange(revokeToken, old);
  const isBusy = rotating.isPending || revoking.isPending;
  if (tokens.length === 0) return <p className="muted">There is none: only people who sign in may upload.</p>;
  return (
    <>
      <Table
        label="Tokens"
        heads={[
          "name",
          "begins with",
          "kind",
          "good for",
          "allows",
          "valid",
          "last used",
          unseen("rotate, revoke"),
        ]}
      >
        <tbody>
          {tokens.map((token) => (
            <tr key={token.token_id}>
              <th scope="row" className="name">
                {token.name}
              </th>
              <td>
                <code>{token.prefix}</code>
              </td>
              <td>{token.account === null ? token.kind : `${token.kind}, ${token.account}`}</td>
              <td>{bindingText(token, project)}</td>
              <td>{token.scopes.join(", ")}</td>
              <td>
                {validity(token, now)}
                {token.previous_expires_at !== null && new Date(token.previous_expires_at) > now && (
                  <span className="line muted">two secrets until tomorrow</span>
                )}
              </td>
              <td>
                {token.last_used_at === null ? (
                  <span className="muted">never</span>
                ) : (
                  <Ago moment={token.last_used_at} />
                )}
              </td>
              <td className="number">
                <span className="tools">
                  <Confirm
                    label="Rotate"
                    name={`Rotate ${token.name}`}
                    question={`Give ${token.name} another secret?`}
                    isBusy={isBusy}
                    onConfirm={() => rotating.mutate(token.token_id, { onSuccess: onIssued })}
                  >
                    The secret of now is accepted for {OVERLAP_HOURS} h more, so that whoever uses it can be
                    told.
                  </Confirm>
                  <Confirm
                    label="Revoke"
                    name={`Revoke ${token.name}`}
                    question={`Revoke ${token.name}?`}
                    isBusy={isBusy}
                    onConfirm={() => revoking.mutate(token.token_id)}
                  >
                    It is refused from the next request on, and sessions that began with it end. There is no
                    way back.
                  </Confirm>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <FormError error={rotating.error ?? revoking.error} fields={[]} />
    </>
  );
}

function bindingText({ project, machine }: TokenSummary, here: string): string {
  const where = project === here ? "this project" : (project ?? "any project");
  return machine === null ? where : `${where}, ${machine}`;
}

const DAYS_USUAL = 90;
const DAYS_MAX = 3650;
/** Those beside which the server’s words stand. */
const FIELDS = ["name", "kind", "project", "machine", "expires_in_days"];

type TokenFormProps = { project: string; session: SessionInfo; onIssued: (issued: IssuedToken) => void };

/** Makes a token: for whom, for what, for how long. */
function TokenForm({ project, session, onIssued }: TokenFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [kind, setKind] = useState<TokenKind>("agent");
  const making = useChange(createToken, ["/api/v1/tokens"]);
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
