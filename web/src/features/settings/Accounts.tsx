/** Everybody who may sign in to this server; administrators make and remove accounts. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accountsQuery } from "@/api/queries";
import type { AccountSummary, NewAccount, SessionInfo } from "@/api/types";
import { createAccount, deleteAccount } from "@/api/writes";
import { Confirm, Form, FormError, Loaded, NotAllowed, Secret, TextField, Tick } from "@/components/form";
import { Section } from "@/components/ui/states";
import { RowTable, rowHead, unseen } from "@/components/ui/Table";
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
      <RowTable
        label="Accounts"
        className="table table-narrow"
        rows={accounts}
        keyOf={({ name }) => name}
        columns={[
          [rowHead("account"), ({ name }) => name],
          [
            "at GitHub",
            (account) => account.github_login ?? <span className="muted">signs in by token</span>,
          ],
          ["is", ({ is_admin }) => (is_admin ? "administrator" : "what its roles say")],
          ["since", ({ created_at }) => formatDay(created_at), "muted"],
          [
            unseen("remove"),
            ({ name }) =>
              name === me ? (
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
              ),
            "number",
          ],
        ]}
      />
      <FormError error={removing.error} />
    </>
  );
}

function AccountForm({ onMade }: { onMade: (made: NewAccount) => void }) {
  const making = useChange(createAccount, ["/api/v1/accounts"], onMade);
  return (
    <Form
      label="Make an account"
      submit="Make account"
      change={making}
      onSubmit={({ text, has }, form) => {
        const login = text("github_login");
        const account = { name: text("name"), is_admin: has("is_admin") };
        making.mutate(login === "" ? account : { ...account, github_login: login }, {
          onSuccess: () => form.reset(),
        });
      }}
    >
      <TextField label="Name" name="name" note="Small letters, digits and hyphens." required />
      <TextField
        label="Login at GitHub"
        name="github_login"
        note="Without one it gets a token to sign in with, shown once."
        placeholder="none"
      />
      <Tick name="is_admin" label="administrator" note="may do everything on this server" />
    </Form>
  );
}
