/** Forms: labelled inputs with what the server finds wrong with each, buttons that ask once more, and who may use them. */
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

/** What the form around a field was refused with. */
const Refused = createContext<Error | null>(null);

/** What a form holds when it is submitted: texts without the blanks around them. */
export type Typed = {
  text: (name: string) => string;
  all: (name: string) => FormDataEntryValue[];
  has: (name: string) => boolean;
};

type FormProps = {
  label?: string;
  submit: ReactNode;
  /** The change that it is submitted as: its refusal stands at a field, or above the button. */
  change: { error: Error | null; isPending: boolean };
  isReady?: boolean;
  className?: string;
  buttonClass?: string;
  /** What stands next to the button. */
  outcome?: ReactNode;
  onSubmit: (typed: Typed, form: HTMLFormElement) => void;
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
        onSubmit(typedIn(event.currentTarget), event.currentTarget);
      }}
    >
      <Refused value={error}>{children}</Refused>
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

function typedIn(form: HTMLFormElement): Typed {
  const data = new FormData(form);
  return {
    text: (name) => String(data.get(name) ?? "").trim(),
    all: (name) => data.getAll(name),
    has: (name) => data.has(name),
  };
}

export function FormError({ error }: { error: Error | null }) {
  return error === null ? null : <Wrong>{error.message}</Wrong>;
}

function Wrong({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p {...(id !== undefined && { id })} className="warning" role="alert">
      {children}
    </p>
  );
}

function useWrong(names: string[]): string | null {
  const error = useContext(Refused);
  const field = error instanceof ApiError ? error.field : null;
  return field !== null && names.includes(field.name) ? field.text : null;
}

/** What an input needs to know: its name, and the texts that describe it. */
type InputProps = {
  id: string;
  name: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

type FieldProps = {
  label: string;
  /** As the API calls it. */
  name: string;
  note?: string | undefined;
};

/** One labelled input of a form, with what the server finds wrong with it. */
export function Field({
  label,
  name,
  note,
  children,
}: FieldProps & { children: (input: InputProps) => ReactNode }) {
  const id = useId();
  const wrong = useWrong([name]);
  const described = [note !== undefined && `${id}-note`, wrong !== null && `${id}-wrong`].filter(Boolean);
  return (
    <div className="field field-wide" data-fields={name}>
      <label htmlFor={id}>{label}</label>
      <div className="field-body">
        {children({
          id,
          name,
          "aria-describedby": described.join(" ") || undefined,
          "aria-invalid": wrong === null ? undefined : true,
        })}
        {note !== undefined && <p id={`${id}-note`}>{note}</p>}
        {wrong !== null && <Wrong id={`${id}-wrong`}>{wrong}</Wrong>}
      </div>
    </div>
  );
}

/** A field for a line of text that no browser completes or corrects. */
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

/** Several inputs under one legend, with what the server finds wrong with any of them. */
export function FieldGroup({ legend, names = [], note, children }: GroupProps) {
  const wrong = useWrong(names);
  return (
    <fieldset
      className="field field-wide"
      data-fields={names.join(" ")}
      aria-invalid={wrong === null ? undefined : true}
    >
      <legend>{legend}</legend>
      <div className="field-body">
        {children}
        {note !== undefined && <p>{note}</p>}
        {wrong !== null && <Wrong>{wrong}</Wrong>}
      </div>
    </fieldset>
  );
}

/** One box or button of a group, with what it means. */
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
  /** What it does, on the button: `Revoke`. */
  label: string;
  /** To tell it from others alike: `Revoke lab-3`. */
  name: string;
  question: string;
  children: ReactNode;
  isBusy: boolean;
  onConfirm: () => void;
  className?: string | undefined;
};

/** A button whose deed cannot be taken back: it asks once more, in a dialog that says what will happen. */
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

/** Shows something to those who may use it; to others, who may, and why they may not. */
export function Allowed({ children, ...rest }: NotAllowedProps & { children: ReactNode }) {
  return refusal(rest.session, rest.project, rest.action) === null ? children : <NotAllowed {...rest} />;
}

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

const REPOSITORY_NOTE =
  "Agents fetch commits from it: https://, ssh://, git:// or file:// and a path, without a password, because agents have their own. Empty: they measure nothing on request.";

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

/** For what a maintainer makes for one project, and an administrator for any. */
export function ProjectField({ label, project }: { label: string; project: string }) {
  const options = [
    { value: project, label: "this project" },
    { value: "", label: "any project" },
  ];
  return <SelectInput label={label} name="project" options={options} defaultValue={project} />;
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
      <Button onClick={onDone}>I have it</Button>
    </div>
  );
}
