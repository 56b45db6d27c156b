/** To whom a project tells what happens: nobody, until somebody asks for it. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { changeChannel, deleteChannel, testChannel } from "@/api/channels";
import { channelsQuery } from "@/api/queries";
import type { Channel, NewChannel, SessionInfo } from "@/api/types";
import { Confirm } from "@/components/form/Confirm";
import { FormError } from "@/components/form/Field";
import { Loaded } from "@/components/form/Loaded";
import { NotAllowed } from "@/components/form/NotAllowed";
import { Secret } from "@/components/form/Secret";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { Section } from "@/components/ui/Section";
import { refusal } from "@/lib/access";
import { docsHref } from "@/lib/paths";
import { useChange } from "@/lib/useChange";
import { useNow } from "@/lib/useNow";
import { eventsText, KIND_NAMES, outcomeText } from "../channels";
import { ChannelForm } from "./ChannelForm";

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
  const old = [channelsQuery(project).queryKey];
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
      <ScrollRegion label="Channels">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">where</th>
              <th scope="col">told of</th>
              <th scope="col">how it goes</th>
              <th scope="col">
                <span className="unseen">test, turn off, delete</span>
              </th>
            </tr>
          </thead>
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
        </table>
      </ScrollRegion>
      <p role="status">{testing.data?.detail}</p>
      <FormError error={changing.error ?? testing.error ?? deleting.error} fields={[]} />
    </>
  );
}
