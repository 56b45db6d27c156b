/** The accounts of the server, for administrators. */
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
        <NotAllowed session={session} project="" action="run-server" what="manage accounts" />
      </Section>
    );
  }
  return (
    <>
      <Section title="Accounts">
        {made?.token != null && (
          <Secret
            title={`Sign-in token for ${made.account.name}`}
            secret={made.token}
            onDone={() => setMade(null)}
          />
        )}
        <Loaded query={accounts}>
          {(list) => <AccountTable accounts={list} me={session.account?.name} />}
        </Loaded>
      </Section>
      <Section title="New account">
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
          [rowHead("Account"), ({ name }) => name],
          ["GitHub login", (account) => account.github_login ?? <span className="muted">token only</span>],
          ["Server role", ({ is_admin }) => (is_admin ? "administrator" : "none")],
          ["Created", ({ created_at }) => formatDay(created_at), "muted"],
          [
            unseen("Remove"),
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
                  Also deletes its tokens, sessions and roles. Cannot be undone.
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
      label="New account"
      submit="Create account"
      change={making}
      onSubmit={({ text, has }, form) => {
        const login = text("github_login");
        const account = { name: text("name"), is_admin: has("is_admin") };
        making.mutate(login === "" ? account : { ...account, github_login: login }, {
          onSuccess: () => form.reset(),
        });
      }}
    >
      <TextField label="Name" name="name" note="Lower-case letters, digits and hyphens." required />
      <TextField
        label="GitHub login"
        name="github_login"
        note="Empty: the account gets a sign-in token."
        placeholder="none"
      />
      <Tick name="is_admin" label="Administrator" note="full access to the server" />
    </Form>
  );
}
