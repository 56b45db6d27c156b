/** The tokens of a project: create, rotate and revoke. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { tokensQuery } from "@/api/queries";
import type { IssuedToken, SessionInfo, TokenKind, TokenRequest, TokenSummary } from "@/api/types";
import { createToken, revokeToken, rotateToken } from "@/api/writes";
import {
  Confirm,
  FieldGroup,
  Form,
  FormError,
  type FormValues,
  Loaded,
  NotAllowed,
  ProjectField,
  Secret,
  SelectInput,
  TextField,
  Tick,
} from "@/components/form";
import { optionsOf } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { RowTable, rowHead, unseen } from "@/components/ui/Table";
import { Ago, CommandLine } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { useChange, useNow } from "@/lib/hooks";
import { KINDS, SCOPE_MEANINGS, SCOPES, tokensOf, validity } from "./data";

/** How long the old secret stays valid after a rotation. */
const OVERLAP_HOURS = 24;

type Props = { project: string; session: SessionInfo };

export function Tokens({ project, session }: Props) {
  const isAllowed = refusal(session, project, "manage-tokens") === null;
  const tokens = useQuery({ ...tokensQuery, enabled: isAllowed });
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  if (!isAllowed) {
    return (
      <Section title="Tokens">
        <NotAllowed session={session} project={project} action="manage-tokens" what="manage tokens" />
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
      <Section title="New token">
        <TokenForm project={project} session={session} onIssued={setIssued} />
      </Section>
    </>
  );
}

function Issued({ issued: { token, secret }, onDone }: { issued: IssuedToken; onDone: () => void }) {
  return (
    <Secret title={`Secret of ${token.name}`} secret={secret} onDone={onDone}>
      {token.kind === "agent" && (
        <>
          <p>Save it as agent.token on the machine, then run:</p>
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
  if (tokens.length === 0) return <p className="muted">No tokens: only signed-in users can upload.</p>;
  return (
    <>
      <RowTable
        label="Tokens"
        rows={tokens}
        keyOf={({ token_id }) => token_id}
        columns={[
          [rowHead("Name"), ({ name }) => name, "name"],
          ["Prefix", ({ prefix }) => <code>{prefix}</code>],
          ["Type", ({ kind, account }) => (account === null ? kind : `${kind}, ${account}`)],
          ["Project", (token) => bindingText(token, project)],
          ["Scopes", ({ scopes }) => scopes.join(", ")],
          [
            "Valid",
            (token) => (
              <>
                {validity(token, now)}
                {token.previous_expires_at !== null && new Date(token.previous_expires_at) > now && (
                  <span className="line muted">old secret valid until tomorrow</span>
                )}
              </>
            ),
          ],
          [
            "Last used",
            ({ last_used_at: last }) =>
              last === null ? <span className="muted">never</span> : <Ago moment={last} />,
          ],
          [
            unseen("Actions"),
            ({ token_id, name }) => (
              <span className="tools">
                <Confirm
                  label="Rotate"
                  name={`Rotate ${name}`}
                  question={`Rotate the secret of ${name}?`}
                  isBusy={isBusy}
                  onConfirm={() => rotating.mutate(token_id, { onSuccess: onIssued })}
                >
                  The current secret stays valid for {OVERLAP_HOURS} h.
                </Confirm>
                <Confirm
                  label="Revoke"
                  name={`Revoke ${name}`}
                  question={`Revoke ${name}?`}
                  isBusy={isBusy}
                  onConfirm={() => revoking.mutate(token_id)}
                >
                  Its sessions end immediately. Cannot be undone.
                </Confirm>
              </span>
            ),
            "number",
          ],
        ]}
      />
      <FormError error={rotating.error ?? revoking.error} />
    </>
  );
}

function bindingText({ project, machine }: TokenSummary, here: string): string {
  const where = project === here ? "this project" : (project ?? "any project");
  return machine === null ? where : `${where}, ${machine}`;
}

const DAYS_USUAL = 90;
const DAYS_MAX = 3650;

type TokenFormProps = { project: string; session: SessionInfo; onIssued: (issued: IssuedToken) => void };

function TokenForm({ project, session, onIssued }: TokenFormProps) {
  const [kind, setKind] = useState<TokenKind>("agent");
  const making = useChange(createToken, ["/api/v1/tokens"], onIssued);
  const isRunning = refusal(session, project, "run-server") === null;
  // Creating a user token requires the scope admin.
  const kinds = (Object.keys(KINDS) as TokenKind[]).filter(
    (name) => name !== "user" || session.scopes.includes("admin"),
  );
  const onSuccess = (form: HTMLFormElement) => {
    form.reset();
    setKind("agent");
  };
  return (
    <Form
      label="New token"
      submit="Create token"
      change={making}
      onSubmit={(typed, form) =>
        making.mutate(requestOf(typed, kind, project), { onSuccess: () => onSuccess(form) })
      }
    >
      <TextField label="Name" name="name" required maxLength={100} />
      <SelectInput
        label="Type"
        name="kind"
        options={optionsOf(kinds, (name) => KINDS[name])}
        value={kind}
        onChoose={setKind}
      />
      <FieldGroup key={kind} legend="Scopes">
        {SCOPES[kind].possible.map((scope) => (
          <Tick
            key={scope}
            name="scopes"
            value={scope}
            label={scope}
            note={SCOPE_MEANINGS[scope]}
            defaultChecked={SCOPES[kind].usual.includes(scope)}
          />
        ))}
      </FieldGroup>
      {kind === "agent" && (
        <TextField
          label="Machine"
          name="machine"
          note="Limits uploads to this machine. Empty: any."
          placeholder="any"
        />
      )}
      {(isRunning || kind === "user") && <ProjectField label="Project" project={project} />}
      <TextField
        label="Valid for (days)"
        name="expires_in_days"
        type="number"
        min={1}
        max={DAYS_MAX}
        defaultValue={DAYS_USUAL}
        required
      />
    </Form>
  );
}

/** The request for the form; without a project field, the token is for this project. */
function requestOf({ text, all, has }: FormValues, kind: TokenKind, project: string): TokenRequest {
  const bound = has("project") ? text("project") : project;
  return {
    name: text("name"),
    kind,
    scopes: SCOPES[kind].possible.filter((scope) => all("scopes").includes(scope)),
    expires_in_days: Number(text("expires_in_days")),
    ...(bound !== "" && { project: bound }),
    ...(text("machine") !== "" && { machine: text("machine") }),
  };
}
