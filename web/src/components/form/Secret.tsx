/** A secret that the server shows once: to copy now, and to put away. */
import type { ReactNode } from "react";
import { CommandLine } from "@/components/ui/CommandLine";

type Props = { title: string; secret: string; children?: ReactNode; onDone: () => void };

export function Secret({ title, secret, children, onDone }: Props) {
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
