/** To whom a project tells what happens: nobody, until somebody asks for it. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { channelsQuery } from "@/api/queries";
import type {
  Channel,
  ChannelEvent,
  ChannelKind,
  ChannelRequest,
  NewChannel,
  SessionInfo,
} from "@/api/types";
import { changeChannel, createChannel, deleteChannel, testChannel } from "@/api/writes";
import { Confirm, Field, FormError, Loaded, NotAllowed, Secret } from "@/components/form";
import { Section } from "@/components/ui/states";
import { Table, unseen } from "@/components/ui/Table";
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
        <NotAllowed
          session={session}
          project={project}
          action="configure"
          what="see and change who is told what happens"
        />
      </Section>
    );
  }
  return (
    <>
      <Section title="Notifications">
        {made?.secret != null && (
          <Secret title={`The key of ${made.channel.name}`} secret={made.secret} onDone={() => setMade(null)}>
            <p>
              Messages to it are signed with this key:{" "}
              <a href={docsHref("reference/webhook.md")}>how to verify them</a>.
            </p>
          </Secret>
        )}
        <Loaded query={channels}>
          {({ channels: list }) => <ChannelTable project={project} channels={list} />}
        </Loaded>
      </Section>
      <Section title="Add a channel">
        <Loaded query={channels}>
          {({ kinds }) => <ChannelForm project={project} kinds={kinds} onMade={setMade} />}
        </Loaded>
      </Section>
    </>
  );
}

function ChannelTable({ project, channels }: { project: string; channels: Channel[] }) {
  const now = useNow();
  const old = ["/api/v1/projects/{project}/channels"] as const;
  const changing = useChange(
    ({ channel_id, enabled }: { channel_id: number; enabled: boolean }) =>
      changeChannel(project, channel_id, { enabled }),
    old,
  );
  const testing = useChange((channel_id: number) => testChannel(project, channel_id), old);
  const deleting = useChange((channel_id: number) => deleteChannel(project, channel_id), old);
  const isBusy = changing.isPending || testing.isPending || deleting.isPending;
  if (channels.length === 0) {
    return <p className="muted">Nobody is told what happens here, unless they look.</p>;
  }
  return (
    <>
      <Table
        label="Channels"
        heads={["name", "where", "told of", "how it goes", unseen("test, turn off, delete")]}
      >
        <tbody>
          {channels.map((channel) => (
            <tr key={channel.channel_id}>
              <th scope="row" className="name">
                {channel.name}
              </th>
              <td>
                {KIND_NAMES[channel.kind]}
                <span className="line muted">{channel.target}</span>
              </td>
              <td>
                {channel.enabled ? eventsText(channel.events) : <span className="muted">nothing: off</span>}
              </td>
              <td className="flexible">{outcomeText(channel, now)}</td>
              <td className="number">
                <span className="tools">
                  <button
                    type="button"
                    className="text-button"
                    aria-label={`Test ${channel.name}`}
                    disabled={isBusy}
                    onClick={() => testing.mutate(channel.channel_id)}
                  >
                    Test
                  </button>
                  <button
                    type="button"
                    className="text-button"
                    aria-label={`Turn ${channel.enabled ? "off" : "on"} ${channel.name}`}
                    disabled={isBusy}
                    onClick={() =>
                      changing.mutate({ channel_id: channel.channel_id, enabled: !channel.enabled })
                    }
                  >
                    {channel.enabled ? "Turn off" : "Turn on"}
                  </button>
                  <Confirm
                    label="Delete"
                    name={`Delete ${channel.name}`}
                    question={`Delete ${channel.name}?`}
                    isBusy={isBusy}
                    onConfirm={() => deleting.mutate(channel.channel_id)}
                  >
                    It is told nothing any more, and where it is is forgotten.
                  </Confirm>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <p role="status">{testing.data?.detail}</p>
      <FormError error={changing.error ?? testing.error ?? deleting.error} fields={[]} />
    </>
  );
}

/** Those beside which the server’s words stand. */
const FIELDS = ["name", "target"];

type ChannelFormProps = { project: string; kinds: ChannelKind[]; onMade: (made: NewChannel) => void };

/** Makes a channel: who is told, how, and of what. */
function ChannelForm({ project, kinds, onMade }: ChannelFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [kind, setKind] = useState<ChannelKind>("slack");
  const making = useChange(
    (request: ChannelRequest) => createChannel(project, request),
    ["/api/v1/projects/{project}/channels"],
  );
  const make = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const chosen = data.getAll("events");
    const request = {
      name: String(data.get("name") ?? "").trim(),
      kind,
      target: String(data.get("target") ?? "").trim(),
      events: (Object.keys(EVENTS) as ChannelEvent[]).filter((name) => chosen.includes(name)),
    };
    making.mutate(request, {
      onSuccess: (made) => {
        form.current?.reset();
        setKind("slack");
        onMade(made);
      },
    });
  };
  const { error } = making;
  const target = TARGETS[kind];
  return (
    <form className="form" ref={form} onSubmit={make} aria-label="Add a channel">
      <Field label="Name" name="name" error={error} note="Who is told, in your words.">
        {(input) => <input {...input} required maxLength={100} autoComplete="off" />}
      </Field>
      <Field label="By" name="kind" error={error}>
        {(input) => (
          <select
            {...input}
            value={kind}
            onChange={(event) => setKind(kinds.find((name) => name === event.target.value) ?? "slack")}
          >
            {kinds.map((name) => (
              <option key={name} value={name}>
                {KIND_NAMES[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field key={kind} label={target.label} name="target" error={error} note={target.note}>
        {(input) => (
          <input
            {...input}
            type={kind === "email" ? "email" : "url"}
            required
            maxLength={2000}
            spellCheck={false}
            autoComplete="off"
            placeholder={target.placeholder}
          />
        )}
      </Field>
      <fieldset className="field field-wide">
        <legend>Told when</legend>
        <div className="field-body">
          {(Object.keys(EVENTS) as ChannelEvent[]).map((name) => (
            <label key={name} className="choice">
              <input type="checkbox" name="events" value={name} defaultChecked={name === "regressed"} />
              <span>{EVENTS[name]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <FormError error={error} fields={FIELDS} />
      <div className="controls">
        <button type="submit" className="button" disabled={making.isPending}>
          Add channel
        </button>
      </div>
    </form>
  );
}
