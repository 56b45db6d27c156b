/** Whether the screen is too narrow for line names. */
import { useMedia } from "@/lib/hooks";

export const useIsNarrow = (): boolean => useMedia("(max-width: 40rem)");
