/** A counted share in a table, with how sure it is; in words where nothing could be counted. */
import type { CellText } from "../data";

type Props = {
  cell: CellText | null;
  /** What belongs to it besides. */
  more?: string;
};

export function Cell({ cell, more }: Props) {
  if (cell === null) return <td className="number muted">cannot tell</td>;
  return (
    <td className="number">
      {cell.text}
      <span className="line sureness">
        {cell.sureness}
        {more !== undefined && `, ${more}`}
      </span>
    </td>
  );
}
