/** Copies a short address of what is shown: all page state is in it. */
import { shortLink } from "@/api/links";
import { CopyButton } from "./CopyButton";

type Props = {
  label?: string;
  /** The part of the page that it leads to. */
  part?: string;
  className?: string;
};

export function CopyLink({ label = "Copy link", part, className }: Props) {
  return (
    <CopyButton
      label={label}
      text={() => shortLink(part)}
      {...(className === undefined ? {} : { className })}
    />
  );
}
