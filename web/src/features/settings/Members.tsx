/** The members of a project and their roles, for its admins. */
import { useQuery } from "@tanstack/react-query";
import { membersQuery } from "@/api/queries";
import type { Role, SessionInfo } from "@/api/types";
import { removeMember, setMember } from "@/api/writes";
import { Allowed, Confirm, Form, FormError, Loaded, SelectInput, TextField } from "@/components/form";
import { optionsOf } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { RowTable, rowHead, unseen } from "@/components/ui/Table";
import { ROLES } from "@/lib/access";
import { useChange } from "@/lib/hooks";
import { formatDay } from "@/lib/time";

type Props = { project: string; session: SessionInfo };

export function Members({ project, session }: Props) {
  return (
    <Section title="Members">
      <Allowed session={session} project={project} action="manage-members" what="manage members">
        <MemberTable project={project} />
        <MemberForm project={project} />
      </Allowed>
    </Section>
  );
}

const OLD = ["/api/v1/projects/{project}/members"] as const;

const useSetMember = (project: string) =>
  useChange(({ account, role }: { account: string; role: Role }) => setMember(project, account, role), OLD);

const roleOf = (name: string): Role => ROLES.find((role) => role === name) ?? "viewer";

function MemberTable({ project }: { project: string }) {
  const members = useQuery(membersQuery(project));
  const setting = useSetMember(project);
  const removing = useChange((account: string) => removeMember(project, account), OLD);
  const isBusy = setting.isPending || removing.isPending;
  return (
    <>
      <Loaded query={members}>
        {(list) =>
          list.length === 0 ? (
            <p className="muted">No members. Server administrators have full access.</p>
          ) : (
            <RowTable
              label="Members"
              className="table table-narrow"
              rows={list}
              keyOf={({ account }) => account}
              columns={[
                [rowHead("Account"), ({ account }) => account],
                [
                  "Role",
                  ({ account, role }) => (
                    <span className="field">
                      <select
                        aria-label={`Role of ${account}`}
                        value={role}
                        disabled={isBusy}
                        onChange={({ target }) => setting.mutate({ account, role: roleOf(target.value) })}
                      >
                        {ROLES.map((name) => (
                          <option key={name}>{name}</option>
                        ))}
                      </select>
                    </span>
                  ),
                ],
                ["Since", ({ created_at }) => formatDay(created_at), "muted"],
                [
                  unseen("Remove"),
                  ({ account }) => (
                    <Confirm
                      label="Remove"
                      name={`Remove ${account}`}
                      question={`Remove ${account} from ${project}?`}
                      isBusy={isBusy}
                      onConfirm={() => removing.mutate(account)}
                    >
                      Its access ends immediately. The account remains.
                    </Confirm>
                  ),
                  "number",
                ],
              ]}
            />
          )
        }
      </Loaded>
      <FormError error={setting.error ?? removing.error} />
    </>
  );
}

function MemberForm({ project }: { project: string }) {
  const adding = useSetMember(project);
  return (
    <Form
      className="form subsection"
      label="Add member"
      submit="Add member"
      change={adding}
      onSubmit={({ text }, form) =>
        adding.mutate(
          { account: text("account"), role: roleOf(text("role")) },
          { onSuccess: () => form.reset() },
        )
      }
    >
      <TextField label="Account" name="account" note="An existing account." required />
      <SelectInput label="Role" name="role" options={optionsOf(ROLES)} defaultValue="viewer" />
    </Form>
  );
}
