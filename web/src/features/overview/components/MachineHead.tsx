/** The head of a table with a column a machine. */
export function MachineHead({ rows, machines }: { rows: string; machines: string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">{rows}</th>
        {machines.map((machine) => (
          <th key={machine} scope="col">
            {machine}
          </th>
        ))}
      </tr>
    </thead>
  );
}
