/** Forms: labelled inputs with server errors, confirmations, and permissions. */
import type { UseQueryResult } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { type ComponentProps, createContext, type ReactNode, useContext, useId, useRef } from "react";
import { ApiError } from "@/api/errors";
import type { SessionInfo } from "@/api/types";
import { Button } from "@/components/ui/controls";
import { ErrorState, Skeleton } from "@/components/ui/states";
import { CommandLine } from "@/components/ui/text";
import { type Action, refusal, whoMay } from "@/lib/access";
import { toSignIn } from "@/lib/paths";

/** The error of the surrounding form. */
const SubmitError = createContext<Error | null>(null);

/** The values of a submitted form; texts are trimmed. */
export type FormValues = {
  text: (name: string) => string;
  all: (name: string) => FormDataEntryValue[];
  has: (name: string) => boolean;
};

type FormProps = {
  label?: string;
  submit: ReactNode;
  /** The mutation that it submits; its error is shown at a field, or above the button. */
  change: { error: Error | null; isPending: boolean };
  isReady?: boolean;
  className?: string;
  buttonClass?: string;
  /** Shown next to the button. */
  outcome?: ReactNode;
  onSubmit: (values: FormValues, form: HTMLFormElement) => void;
  children: ReactNode;
} & Pick<ComponentProps<"form">, "noValidate">;

export function Form({
  label,
  submit,
  change: { error, isPending },
  isReady = true,
  className = "form",
  buttonClass = "button",
  outcome,
  onSubmit,
  children,
  ...rest
}: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const field = error instanceof ApiError ? error.field?.name : undefined;
  const inputs = form.current?.querySelectorAll<HTMLElement>("[data-fields]") ?? [];
  const isAtField =
    field !== undefined &&
    Array.from(inputs).some(({ dataset }) => dataset.fields?.split(" ").includes(field));
  return (
    <form
      {...rest}
      ref={form}
      className={className}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(valuesOf(event.currentTarget), event.currentTarget);
      }}
    >
      <SubmitError value={error}>{children}</SubmitError>
      {!isAtField && <FormError error={error} />}
      <div className="controls">
        <button type="submit" className={buttonClass} disabled={isPending || !isReady}>
          {submit}
        </button>
        {outcome}
      </div>
    </form>
  );
}

function valuesOf(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  return {
    text: (name) => String(data.get(name) ?? "").trim(),
    all: (name) => data.getAll(name),
    has: (name) => data.has(name),
  };
}

export function FormError({ error }: { error: Error | null }) {
  return error === null ? null : <FieldError>{error.message}</FieldError>;
}

function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p {...(id !== undefined && { id })} className="warning" role="alert">
      {children}
    </p>
  );
}

function useFieldError(names: string[]): string | null {
  const error = useContext(SubmitError);
  const field = error instanceof ApiError ? error.field : null;
  return field !== null && names.includes(field.name) ? field.text : null;
}

/** Properties of an input: its name, and the texts that describe it. */
type InputProps = {
  id: string;
  name: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

type FieldProps = {
  label: string;
  /** Its name in the API. */
  name: string;
  note?: string | undefined;
};

/** One labelled input, with its server error. */
export function Field({
  label,
  name,
  note,
  children,
}: FieldProps & { children: (input: InputProps) => ReactNode }) {
  const id = useId();
  const fieldError = useFieldError([name]);
  const described = [note !== undefined && `${id}-note`, fieldError !== null && `${id}-error`].filter(
    Boolean,
  );
  return (
    <div className="field field-wide" data-fields={name}>
      <label htmlFor={id}>{label}</label>
      <div className="field-body">
        {children({
          id,
          name,
          "aria-describedby": described.join(" ") || undefined,
          "aria-invalid": fieldError === null ? undefined : true,
        })}
        {note !== undefined && <p id={`${id}-note`}>{note}</p>}
        {fieldError !== null && <FieldError id={`${id}-error`}>{fieldError}</FieldError>}
      </div>
    </div>
  );
}

/** A text field without autocompletion and spell checking. */
export function TextField({
  label,
  name,
  note,
  ...input
}: FieldProps & Omit<ComponentProps<"input">, "name">) {
  return (
    <Field label={label} name={name} note={note}>
      {(props) => <input spellCheck={false} autoComplete="off" {...input} {...props} />}
    </Field>
  );
}

type SelectProps<T extends string> = FieldProps & {
  options: readonly { value: T; label: string }[];
  onChoose?: (value: T) => void;
} & Pick<ComponentProps<"select">, "value" | "defaultValue">;

export function SelectInput<T extends string>({
  label,
  name,
  note,
  options,
  onChoose,
  ...select
}: SelectProps<T>) {
  const choose = (value: string) => {
    const chosen = options.find((option) => option.value === value);
    if (chosen !== undefined) onChoose?.(chosen.value);
  };
  return (
    <Field label={label} name={name} note={note}>
      {(input) => (
        <select {...select} {...input} onChange={({ target }) => choose(target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type GroupProps = { legend: string; names?: string[]; note?: string; children: ReactNode };

/** Several inputs under one legend, with their server error. */
export function FieldGroup({ legend, names = [], note, children }: GroupProps) {
  const fieldError = useFieldError(names);
  return (
    <fieldset
      className="field field-wide"
      data-fields={names.join(" ")}
      aria-invalid={fieldError === null ? undefined : true}
    >
      <legend>{legend}</legend>
      <div className="field-body">
        {children}
        {note !== undefined && <p>{note}</p>}
        {fieldError !== null && <FieldError>{fieldError}</FieldError>}
      </div>
    </fieldset>
  );
}

/** A checkbox or radio button with an optional note. */
export function Tick({ label, note, ...input }: { label: string; note?: string } & ComponentProps<"input">) {
  return (
    <label className="choice">
      <input type="checkbox" {...input} />
      <span>
        {label}
        {note !== undefined && <span className="muted"> {note}</span>}
      </span>
    </label>
  );
}

type ConfirmProps = {
  /** The button label: `Revoke`. */
  label: string;
  /** The accessible name: `Revoke lab-3`. */
  name: string;
  question: string;
  children: ReactNode;
  isBusy: boolean;
  onConfirm: () => void;
  className?: string | undefined;
};

/** A button for an irreversible action, with a confirmation dialog. */
export function Confirm({ label, name, question, children, isBusy, onConfirm, className }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const close = () => dialog.current?.close();
  const confirm = () => {
    close();
    onConfirm();
  };
  return (
    <>
      <Button
        className={className ?? "text-button"}
        aria-label={name}
        disabled={isBusy}
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </Button>
      <dialog ref={dialog} className="dialog confirm" aria-labelledby={id}>
        <p id={id} className="strong">
          {question}
        </p>
        <p>{children}</p>
        <div className="controls">
          <Button onClick={confirm}>{label}</Button>
          <Button onClick={close}>Keep</Button>
        </div>
      </dialog>
    </>
  );
}

type LoadedProps<Data> = { query: UseQueryResult<Data>; children: (data: Data) => ReactNode };

/** Renders the data of a query, a skeleton while it loads, or its error. */
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

/** Renders its children if the action is allowed, otherwise the reason. */
export function Allowed({ children, ...rest }: NotAllowedProps & { children: ReactNode }) {
  return refusal(rest.session, rest.project, rest.action) === null ? children : <NotAllowed {...rest} />;
}

/** Explains which role an action needs. `what`: the action as a verb phrase. */
export function NotAllowed({ session, project, action, what }: NotAllowedProps) {
  const { href } = useLocation();
  return (
    <p className="muted">
      Only {whoMay(action)} can {what}; {refusal(session, project, action)}.
      {session.account === null && (
        <>
          {" "}
          <Link {...toSignIn(href)}>Sign in</Link>
        </>
      )}
    </p>
  );
}

const REPOSITORY_NOTE =
  "Agents fetch commits here, for jobs: https://, ssh://, git:// or file://, without a password.";

export function RepositoryField(input: Pick<ComponentProps<"input">, "value" | "onChange">) {
  return (
    <TextField
      label="Repository"
      name="repository_url"
      note={REPOSITORY_NOTE}
      placeholder="https://git.example.org/libfoo.git"
      {...input}
    />
  );
}

const LABELS_NOTES = {
  agent: "Comma-separated, at most 20: lower-case letters, digits and hyphens. Jobs can require them.",
  job: "Comma-separated. Only machines that have all of them.",
};

type LabelsProps = { of: keyof typeof LABELS_NOTES } & Pick<
  ComponentProps<"input">,
  "value" | "onChange" | "defaultValue"
>;

/** The labels of an agent, or those that a job requires. */
export function LabelsField({ of, ...input }: LabelsProps) {
  return <TextField label="Labels" name="labels" note={LABELS_NOTES[of]} placeholder="none" {...input} />;
}

/** Selects this project or any project. */
export function ProjectField({ label, project }: { label: string; project: string }) {
  const options = [
    { value: project, label: "This project" },
    { value: "", label: "Any project" },
  ];
  return <SelectInput label={label} name="project" options={options} defaultValue={project} />;
}

type SecretProps = { title: string; secret: string; children?: ReactNode; onDone: () => void };

/** A secret that the server shows once. */
export function Secret({ title, secret, children, onDone }: SecretProps) {
  return (
    <div className="secret" role="status">
      <p className="strong">{title}</p>
      <p>Shown only once. Copy it now.</p>
      <CommandLine command={secret} />
      {children}
      <Button onClick={onDone}>Done</Button>
    </div>
  );
}
