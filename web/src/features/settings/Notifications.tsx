/** Notification channels of a project. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { channelsQuery } from "@/api/queries";
import type { Channel, ChannelEvent, ChannelKind, NewChannel, SessionInfo } from "@/api/types";
import { changeChannel, createChannel, deleteChannel, testChannel } from "@/api/writes";
import {
  Confirm,
  FieldGroup,
  Form,
  FormError,
  Loaded,
  NotAllowed,
  Secret,
  SelectInput,
  TextField,
  Tick,
} from "@/components/form";
import { optionsOf, TextButton } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { RowTable, rowHead, unseen } from "@/components/ui/Table";
import { refusal } from "@/lib/access";
import { useChange, useNow } from "@/lib/hooks";
import { docsHref } from "@/lib/paths";
import { EVENTS, eventsText, KIND_NAMES, outcomeText, TARGETS } from "./channels";

type Props = { project: string; session: SessionInfo };

export function Notifications({ project, session }: Props) {
  const isAllowed = refusal(session, project, "configure") === null;
  const channels = useQuery({ ...channelsQuery(project), enabled: isAllowed });
  const [made, setMade] = useState<NewChannel | null>(null);
  if (!isAllowed) {
    return (
      <Section title="Notifications">
        <NotAllowed session={session} project={project} action="configure" what="manage notifications" />
      </Section>
    );
  }
  return (
    <>
      <Section title="Notifications">
        {made?.secret != null && (
          <Secret
            title={`Signing key for ${made.channel.name}`}
            secret={made.secret}
            onDone={() => setMade(null)}
          >
            <p>
              <a href={docsHref("reference/webhook.md")}>Verify signatures</a> with this key.
            </p>
          </Secret>
        )}
        <Loaded query={channels}>
          {({ channels: list }) => <ChannelTable project={project} channels={list} />}
        </Loaded>
      </Section>
      <Section title="New channel">
        <Loaded query={channels}>
          {({ kinds }) => <ChannelForm project={project} kinds={kinds} onMade={setMade} />}
        </Loaded>
      </Section>
    </>
  );
}

const OLD = ["/api/v1/projects/{project}/channels"] as const;

function ChannelTable({ project, channels }: { project: string; channels: Channel[] }) {
  const now = useNow();
  const changing = useChange(
    ({ channel_id, enabled }: Channel) => changeChannel(project, channel_id, { enabled: !enabled }),
    OLD,
  );
  const testing = useChange((channel_id: number) => testChannel(project, channel_id), OLD);
  const deleting = useChange((channel_id: number) => deleteChannel(project, channel_id), OLD);
  const isBusy = changing.isPending || testing.isPending || deleting.isPending;
  if (channels.length === 0) return <p className="muted">No notification channels</p>;
  return (
    <>
      <RowTable
        label="Channels"
        rows={channels}
        keyOf={({ channel_id }) => channel_id}
        columns={[
          [rowHead("Name"), ({ name }) => name, "name"],
          [
            "Target",
            ({ kind, target }) => (
              <>
                {KIND_NAMES[kind]}
                <span className="line muted">{target}</span>
              </>
            ),
          ],
          [
            "Events",
            ({ enabled, events }) =>
              enabled ? eventsText(events) : <span className="muted">none (off)</span>,
          ],
          ["Status", (channel) => outcomeText(channel, now), "flexible"],
          [
            unseen("Actions"),
            (channel) => {
              const { channel_id, name, enabled } = channel;
              const turn = `Turn ${enabled ? "off" : "on"}`;
              return (
                <span className="tools">
                  <TextButton
                    aria-label={`Test ${name}`}
                    disabled={isBusy}
                    onClick={() => testing.mutate(channel_id)}
                  >
                    Test
                  </TextButton>
                  <TextButton
                    aria-label={`${turn} ${name}`}
                    disabled={isBusy}
                    onClick={() => changing.mutate(channel)}
                  >
                    {turn}
                  </TextButton>
                  <Confirm
                    label="Delete"
                    name={`Delete ${name}`}
                    question={`Delete ${name}?`}
                    isBusy={isBusy}
                    onConfirm={() => deleting.mutate(channel_id)}
                  >
                    Also deletes its address.
                  </Confirm>
                </span>
              );
            },
            "number",
          ],
        ]}
      />
      <p role="status">{testing.data?.detail}</p>
      <FormError error={changing.error ?? testing.error ?? deleting.error} />
    </>
  );
}

const EVENT_NAMES = Object.keys(EVENTS) as ChannelEvent[];

type ChannelFormProps = { project: string; kinds: ChannelKind[]; onMade: (made: NewChannel) => void };

function ChannelForm({ project, kinds, onMade }: ChannelFormProps) {
  const [kind, setKind] = useState<ChannelKind>("slack");
  const making = useChange(
    (request: Parameters<typeof createChannel>[1]) => createChannel(project, request),
    OLD,
    onMade,
  );
  return (
    <Form
      label="New channel"
      submit="Add channel"
      change={making}
      onSubmit={({ text, all }, form) => {
        const events = EVENT_NAMES.filter((name) => all("events").includes(name));
        making.mutate(
          { name: text("name"), kind, target: text("target"), events },
          {
            onSuccess: () => {
              form.reset();
              setKind("slack");
            },
          },
        );
      }}
    >
      <TextField label="Name" name="name" required maxLength={100} />
      <SelectInput
        label="Type"
        name="kind"
        options={optionsOf(kinds, (name) => KIND_NAMES[name])}
        value={kind}
        onChoose={setKind}
      />
      <TextField
        key={kind}
        name="target"
        {...TARGETS[kind]}
        type={kind === "email" ? "email" : "url"}
        required
        maxLength={2000}
      />
      <FieldGroup legend="Events">
        {EVENT_NAMES.map((name) => (
          <Tick
            key={name}
            name="events"
            value={name}
            label={EVENTS[name]}
            defaultChecked={name === "regressed"}
          />
        ))}
      </FieldGroup>
    </Form>
  );
}
