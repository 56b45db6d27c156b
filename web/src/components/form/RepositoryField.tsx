/** Where agents fetch a project's commits from. */
import { Field, type InputProps } from "./Field";

const NOTE =
  "Agents fetch commits from it: https://, ssh://, git:// or file:// and a path, without a password, because agents have their own. Empty: they measure nothing on request.";

type Props = { error: Error | null; value?: string; onChange?: (value: string) => void };

export function RepositoryField({ error, value, onChange }: Props) {
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
