/** What lets programs in: the tokens of a project, made, given another secret, and revoked. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { tokensQuery } from "@/api/queries";
import { revokeToken, rotateToken } from "@/api/tokens";
import type { IssuedToken, SessionInfo, TokenSummary } from "@/api/types";
import { Confirm } from "@/components/form/Confirm";
import { FormError } from "@/components/form/Field";
import { Loaded } from "@/components/form/Loaded";
import { NotAllowed } from "@/components/form/NotAllowed";
import { Secret } from "@/components/form/Secret";
import { Ago } from "@/components/ui/Ago";
import { CommandLine } from "@/components/ui/CommandLine";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { Section } from "@/components/ui/Section";
import { refusal } from "@/lib/access";
import { useChange } from "@/lib/useChange";
import { useNow } from "@/lib/useNow";
import { tokensOf, validity } from "../data";
import { TokenForm } from "./TokenForm";

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
  const old = [tokensQuery.queryKey];
  const rotating = useChange((token_id: number) => rotateToken(token_id, OVERLAP_HOURS), old);
  const revoking = useChange(revokeToken, old);
  const isBusy = rotating.isPending || revoking.isPending;
  if (tokens.length === 0) return <p className="muted">There is none: only people who sign in may upload.</p>;
  return (
    <>
      <ScrollRegion label="Tokens">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">begins with</th>
              <th scope="col">kind</th>
              <th scope="col">good for</th>
              <th scope="col">allows</th>
              <th scope="col">valid</th>
              <th scope="col">last used</th>
              <th scope="col">
                <span className="unseen">rotate, revoke</span>
              </th>
            </tr>
          </thead>
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
        </table>
      </ScrollRegion>
      <FormError error={rotating.error ?? revoking.error} fields={[]} />
    </>
  );
}

function bindingText({ project, machine }: TokenSummary, here: string): string {
  const where = project === here ? "this project" : (project ?? "any project");
  return machine === null ? where : `${where}, ${machine}`;
}
