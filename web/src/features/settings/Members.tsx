/** Who is a member of a project and as what; admins of it give and take roles. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef } from "react";
import { membersQuery } from "@/api/queries";
import type { Member, Role, SessionInfo } from "@/api/types";
import { removeMember, setMember } from "@/api/writes";
import { Confirm, Field, FormError, Loaded, NotAllowed } from "@/components/form";
import { Section } from "@/components/ui/states";
import { Table, unseen } from "@/components/ui/Table";
import { ROLES, refusal } from "@/lib/access";
import { useChange } from "@/lib/hooks";
import { formatDay } from "@/lib/time";

type Props = { project: string; session: SessionInfo };

export function Members({ project, session }: Props) {
  const isAllowed = refusal(session, project, "manage-members") === null;
  const members = useQuery({ ...membersQuery(project), enabled: isAllowed });
  return (
    <Section title="Members">
      {isAllowed ? (
        <>
          <Loaded query={members}>{(list) => <MemberTable project={project} members={list} />}</Loaded>
          <MemberForm project={project} />
        </>
      ) : (
        <NotAllowed
          session={session}
          project={project}
          action="manage-members"
          what="see and change who is a member"
        />
      )}
    </Section>
  );
}

function MemberTable({ project, members }: { project: string; members: Member[] }) {
  const old = ["/api/v1/projects/{project}/members"] as const;
  const setting = useChange(
    ({ account, role }: { account: string; role: Role }) => setMember(project, account, role),
    old,
  );
  const removing = useChange((account: string) => removeMember(project, account), old);
  const isBusy = setting.isPending || removing.isPending;
  if (members.length === 0) {
    return (
      <p className="muted">
        Nobody is a member. Administrators of the server may do everything all the same.
      </p>
    );
  }
  return (
    <>
      <Table
        label="Members"
        className="table table-narrow"
        heads={["account", "role", "since", unseen("remove")]}
      >
        <tbody>
          {members.map(({ account, role, created_at }) => (
            <tr key={account}>
              <th scope="row">{account}</th>
              <td>
                <span className="field">
                  <RoleSelect
                    label={`Role of ${account}`}
                    value={role}
                    isBusy={isBusy}
                    onChange={(chosen) => setting.mutate({ account, role: chosen })}
                  />
                </span>
              </td>
              <td className="muted">{formatDay(created_at)}</td>
              <td className="number">
                <Confirm
                  label="Remove"
                  name={`Remove ${account}`}
                  question={`Take ${account} out of ${project}?`}
                  isBusy={isBusy}
                  onConfirm={() => removing.mutate(account)}
                >
                  The account stays; what it may do here ends at once.
                </Confirm>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <FormError error={setting.error ?? removing.error} fields={[]} />
    </>
  );
}

function MemberForm({ project }: { project: string }) {
  const form = useRef<HTMLFormElement>(null);
  const adding = useChange(
    ({ account, role }: { account: string; role: Role }) => setMember(project, account, role),
    ["/api/v1/projects/{project}/members"] as const,
  );
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const role = ROLES.find((name) => name === data.get("role")) ?? "viewer";
    const account = String(data.get("account") ?? "").trim();
    adding.mutate({ account, role }, { onSuccess: () => form.current?.reset() });
  };
  return (
    <form className="form subsection" ref={form} onSubmit={add} aria-label="Add a member">
      <Field
        label="Account"
        name="account"
        error={adding.error}
        note="One that exists: administrators of the server make them."
      >
        {(input) => <input {...input} required spellCheck={false} autoComplete="off" />}
      </Field>
      <Field label="Role" name="role" error={adding.error}>
        {(input) => (
          <select {...input} defaultValue="viewer">
            {ROLES.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </select>
        )}
      </Field>
      <FormError error={adding.error} fields={["account", "role"]} />
      <div className="controls">
        <button type="submit" className="button" disabled={adding.isPending}>
          Add member
        </button>
      </div>
    </form>
  );
}

type RoleSelectProps = { label: string; value: Role; isBusy: boolean; onChange: (role: Role) => void };

function RoleSelect({ label, value, isBusy, onChange }: RoleSelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      disabled={isBusy}
      onChange={({ target }) => onChange(ROLES.find((role) => role === target.value) ?? value)}
    >
      {ROLES.map((role) => (
        <option key={role}>{role}</option>
      ))}
    </select>
  );
}
