/** Changes something, and asks again for what that makes old. */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";

export function useChange<Variables, Answer>(
  change: (variables: Variables) => Promise<Answer>,
  old: QueryKey[],
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(old.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}
