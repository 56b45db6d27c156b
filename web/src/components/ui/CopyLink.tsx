/** Copies the address of what is shown: all page state is in it. */
import { CopyButton } from "./CopyButton";

export function CopyLink({ className }: { className?: string }) {
  return (
    <CopyButton
      label="Copy link"
      text={() => window.location.href}
      {...(className === undefined ? {} : { className })}
    />
  );
}
