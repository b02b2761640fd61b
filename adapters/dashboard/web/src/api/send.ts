// Writes: each click is one write, however often the network makes it repeat.
import { useMutation } from "@tanstack/react-query";
import { useToast } from "../ui/toast";
import { type APIError, isAPIError, newKey, useClient } from "./client";

/** useSend returns go, which calls send with a fresh Idempotency-Key, and how the last call stands:
 *  its input, how often the service did not reply, its error or its data. Afterwards every list and
 *  object of the page loads again. A refusal is shown as a message, unless the page shows it. */
export function useSend<In = void, Out = unknown>(
  send: (
    client: ReturnType<typeof useClient>["fetch"],
    key: { "Idempotency-Key": string },
    input: In,
  ) => Promise<{ data?: Out; error?: unknown }>,
  options: {
    done?: (out: Out, input: In) => void;
    says?: string | ((out: Out) => string);
    refused?: (e: APIError) => boolean; // whether the page shows the refusal in its place
    quiet?: boolean; // the page shows every failure itself
    failed?: (e: APIError | Error) => void;
  } = {},
) {
  const { fetch, queries } = useClient();
  const toast = useToast();
  const mutation = useMutation<Out, APIError | Error, { input: In; key: string }>({
    mutationFn: async ({ input, key }) => {
      const { data, error } = await send(fetch, { "Idempotency-Key": key }, input);
      if (error !== undefined) throw error as APIError;
      return data as Out;
    },
    onSuccess: (out, { input }) => {
      void queries.invalidateQueries();
      if (options.says)
        toast.good(typeof options.says === "string" ? options.says : options.says(out));
      options.done?.(out, input);
    },
    onError: (e) => {
      options.failed?.(e);
      if (isAPIError(e) && e.error === "CHANGED_MEANWHILE") void queries.invalidateQueries();
      if (!options.quiet && !(isAPIError(e) && options.refused?.(e))) toast.refused(e);
    },
  });
  const { isPending, failureCount, error, data, variables } = mutation;
  return {
    go: (input: In) => mutation.mutate({ input, key: newKey() }),
    input: variables?.input,
    isPending,
    failureCount,
    error,
    data,
  };
}
