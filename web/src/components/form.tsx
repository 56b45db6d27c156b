/** One labelled input of a form, with what the server finds wrong with it, and the form's other complaints. */
import type { UseQueryResult } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { type ReactNode, useId, useRef } from "react";
import { ApiError } from "@/api/errors";
import type { SessionInfo } from "@/api/types";
import { ErrorState, Skeleton } from "@/components/ui/states";
import { CommandLine } from "@/components/ui/text";
import { type Action, refusal, whoMay } from "@/lib/access";
import { toSignIn } from "@/lib/paths";

/** What an input needs to be told of: its name, and the texts that describe it. */
export type InputProps = {
  id: string;
  name: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

type Props = {
  label: string;
  /** As the API calls it. */
  name: string;
  error: Error | null;
  note?: string;
  children: (input: InputProps) => ReactNode;
};

export function Field({ label, name, error, note, children }: Props) {
  const id = useId();
  const wrong = wrongWith(error, name);
  const described = [
    ...(note === undefined ? [] : [`${id}-note`]),
    ...(wrong === null ? [] : [`${id}-wrong`]),
  ];
  return (
    <div className="field field-wide">
      <label htmlFor={id}>{label}</label>
      <div className="field-body">
        {children({
          id,
          name,
          "aria-describedby": described.length === 0 ? undefined : described.join(" "),
          "aria-invalid": wrong === null ? undefined : true,
        })}
        {note !== undefined && <p id={`${id}-note`}>{note}</p>}
        {wrong !== null && (
          <p id={`${id}-wrong`} className="warning" role="alert">
            {wrong}
          </p>
        )}
      </div>
    </div>
  );
}

type GroupProps = {
  legend: string;
  names: string[];
  error: Error | null;
  note?: string;
  children: ReactNode;
};

/** Several inputs under one legend, with what the server finds wrong with any of them. */
export function FieldGroup({ legend, names, error, note, children }: GroupProps) {
  const wrong = names.map((name) => wrongWith(error, name)).find((text) => text !== null) ?? null;
  return (
    <fieldset className="field field-wide" aria-invalid={wrong === null ? undefined : true}>
      <legend>{legend}</legend>
      <div className="field-body">
        {children}
        {note !== undefined && <p>{note}</p>}
        {wrong !== null && (
          <p className="warning" role="alert">
            {wrong}
          </p>
        )}
      </div>
    </fieldset>
  );
}

/** What is wrong, but with none of the fields that are shown. */
export function FormError({ error, fields }: { error: Error | null; fields: string[] }) {
  if (error === null || fields.some((name) => wrongWith(error, name) !== null)) return null;
  return (
    <p className="warning" role="alert">
      {error.message}
    </p>
  );
}

function wrongWith(error: Error | null, name: string): string | null {
  return error instanceof ApiError && error.field?.name === name ? error.field.text : null;
}

type ConfirmProps = {
  /** What it does, on the button: `Revoke`. */
  label: string;
  /** To tell it from others alike: `Revoke lab-3`. */
  name: string;
  question: string;
  children: ReactNode;
  isBusy: boolean;
  onConfirm: () => void;
  className?: string;
};

/** A button whose deed cannot be taken back: it asks once more, in a dialog that says what will happen. */
export function Confirm({
  label,
  name,
  question,
  children,
  isBusy,
  onConfirm,
  className = "text-button",
}: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const confirm = () => {
    dialog.current?.close();
    onConfirm();
  };
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={name}
        disabled={isBusy}
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </button>
      <dialog ref={dialog} className="dialog confirm" aria-labelledby={id}>
        <p id={id} className="strong">
          {question}
        </p>
        <p>{children}</p>
        <div className="controls">
          <button type="button" className="button" onClick={confirm}>
            {label}
          </button>
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Keep
          </button>
        </div>
      </dialog>
    </>
  );
}

type LoadedProps<Data> = { query: UseQueryResult<Data>; children: (data: Data) => ReactNode };

/** What an answer is made into, once it is there; what stands here until then, and when none comes. */
export function Loaded<Data>({ query: { data, error, refetch }, children }: LoadedProps<Data>) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} heading="h2" />;
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height="6rem" />
    </div>
  );
}

type NotAllowedProps = { session: SessionInfo; project: string; action: Action; what: string };

/** Who may do what stands elsewhere in this place, and why that is not the reader. */
export function NotAllowed({ session, project, action, what }: NotAllowedProps) {
  const { href } = useLocation();
  return (
    <p className="muted">
      {whoMay(action)} alone {what}; {refusal(session, project, action)}.
      {session.account === null && (
        <>
          {" "}
          <Link {...toSignIn(href)}>Sign in to do so</Link>.
        </>
      )}
    </p>
  );
}

const NOTE =
  "Agents fetch commits from it: https://, ssh://, git:// or file:// and a path, without a password, because agents have their own. Empty: they measure nothing on request.";

type RepositoryFieldProps = { error: Error | null; value?: string; onChange?: (value: string) => void };

/** Where agents fetch a project's commits from. */
export function RepositoryField({ error, value, onChange }: RepositoryFieldProps) {
  const typed = (input: InputProps) => (value === undefined ? input : { ...input, value, onChange: changed });
  const changed = ({ target }: { target: HTMLInputElement }) => onChange?.(target.value);
  return (
    <Field label="Repository" name="repository_url" error={error} note={NOTE}>
      {(input) => (
        <input
          {...typed(input)}
          placeholder="https://git.example.org/libfoo.git"
          spellCheck={false}
          autoComplete="off"
        />
      )}
    </Field>
  );
}

type SecretProps = { title: string; secret: string; children?: ReactNode; onDone: () => void };

/** A secret that the server shows once: to copy now, and to put away. */
export function Secret({ title, secret, children, onDone }: SecretProps) {
  return (
    <div className="secret" role="status">
      <p className="strong">{title}</p>
      <p>It is shown this once. Whoever has it may do what it allows.</p>
      <CommandLine command={secret} />
      {children}
      <button type="button" className="button" onClick={onDone}>
        I have it
      </button>
    </div>
  );
}
