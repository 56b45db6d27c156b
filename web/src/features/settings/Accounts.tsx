/** Everybody who may sign in to this server; administrators make and remove accounts. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { accountsQuery } from "@/api/queries";
import type { AccountSummary, NewAccount, SessionInfo } from "@/api/types";
import { createAccount, deleteAccount } from "@/api/writes";
import { Confirm, Field, FormError, Loaded, NotAllowed, Secret } from "@/components/form";
import { Section } from "@/components/ui/states";
import { Table, unseen } from "@/components/ui/Table";
import { refusal } from "@/lib/access";
import { useChange } from "@/lib/hooks";
import { formatDay } from "@/lib/time";

export function Accounts({ session }: { session: SessionInfo }) {
  const isAllowed = refusal(session, "", "run-server") === null;
  const accounts = useQuery({ ...accountsQuery, enabled: isAllowed });
  const [made, setMade] = useState<NewAccount | null>(null);
  if (!isAllowed) {
    return (
      <Section title="Accounts">
        <NotAllowed session={session} project="" action="run-server" what="make and remove accounts" />
      </Section>
    );
  }
  return (
    <>
      <Section title="Accounts of this server">
        {made?.token != null && (
          <Secret
            title={`The first token of ${made.account.name}, to sign in with`}
            secret={made.token}
            onDone={() => setMade(null)}
          />
        )}
        <Loaded query={accounts}>
          {(list) => <AccountTable accounts={list} me={session.account?.name} />}
        </Loaded>
      </Section>
      <Section title="Make an account">
        <AccountForm onMade={setMade} />
      </Section>
    </>
  );
}

function AccountTable({ accounts, me }: { accounts: AccountSummary[]; me: string | undefined }) {
  const removing = useChange(deleteAccount, ["/api/v1/accounts"]);
  return (
    <>
      <Table
        label="Accounts"
        className="table table-narrow"
        heads={["account", "at GitHub", "is", "since", unseen("remove")]}
      >
        <tbody>
          {accounts.map(({ name, github_login, is_admin, created_at }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{github_login ?? <span className="muted">signs in by token</span>}</td>
              <td>{is_admin ? "administrator" : "what its roles say"}</td>
              <td className="muted">{formatDay(created_at)}</td>
              <td className="number">
                {name === me ? (
                  <span className="muted">you</span>
                ) : (
                  <Confirm
                    label="Remove"
                    name={`Remove ${name}`}
                    question={`Remove the account ${name}?`}
                    isBusy={removing.isPending}
                    onConfirm={() => removing.mutate(name)}
                  >
                    Its tokens, its sessions and its roles go with it. There is no way back.
                  </Confirm>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <FormError error={removing.error} fields={[]} />
    </>
  );
}

const FIELDS = ["name", "github_login"];

function AccountForm({ onMade }: { onMade: (made: NewAccount) => void }) {
  const form = useRef<HTMLFormElement>(null);
  const making = useChange(createAccount, ["/api/v1/accounts"]);
  const make = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const login = String(data.get("github_login") ?? "").trim();
    making.mutate(
      {
        name: String(data.get("name") ?? "").trim(),
        is_admin: data.get("is_admin") !== null,
        ...(login !== "" && { github_login: login }),
      },
      {
        onSuccess: (made) => {
          form.current?.reset();
          onMade(made);
        },
      },
    );
  };
  return (
    <form className="form" ref={form} onSubmit={make} aria-label="Make an account">
      <Field label="Name" name="name" error={making.error} note="Small letters, digits and hyphens.">
        {(input) => <input {...input} required spellCheck={false} autoComplete="off" />}
      </Field>
      <Field
        label="Login at GitHub"
        name="github_login"
        error={making.error}
        note="Without one it gets a token to sign in with, shown once."
      >
        {(input) => <input {...input} spellCheck={false} autoComplete="off" placeholder="none" />}
      </Field>
      <label className="choice">
        <input type="checkbox" name="is_admin" />
        <span>
          administrator <span className="muted">may do everything on this server</span>
        </span>
      </label>
      <FormError error={making.error} fields={FIELDS} />
      <div className="controls">
        <button type="submit" className="button" disabled={making.isPending}>
          Make account
        </button>
      </div>
    </form>
  );
}
