/** Makes a channel: who is told, how, and of what. */
import { type FormEvent, useRef, useState } from "react";
import { createChannel } from "@/api/channels";
import { channelsQuery } from "@/api/queries";
import type { ChannelEvent, ChannelKind, ChannelRequest, NewChannel } from "@/api/types";
import { Field, FormError } from "@/components/form/Field";
import { useChange } from "@/lib/useChange";
import { EVENTS, KIND_NAMES, TARGETS } from "../channels";

/** Those beside which the server’s words stand. */
const FIELDS = ["name", "target"];

type Props = { project: string; kinds: ChannelKind[]; onMade: (made: NewChannel) => void };

export function ChannelForm({ project, kinds, onMade }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [kind, setKind] = useState<ChannelKind>("slack");
  const making = useChange(
    (request: ChannelRequest) => createChannel(project, request),
    [channelsQuery(project).queryKey],
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
