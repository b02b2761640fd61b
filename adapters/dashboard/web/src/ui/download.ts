import { useClient } from "../api/client";
import { fetchFile, save } from "../api/file";
import { useToast } from "./toast";

/** useDownload returns a function that keeps all rows of a list as a CSV file. */
export function useDownload(): (list: string) => void {
  const client = useClient();
  const toast = useToast();
  return (list) => {
    fetchFile(client, list, "text/csv")
      .then((file) => {
        save(file);
        toast.good("Downloaded", `${file.name} has every row that the filters select.`);
      })
      .catch((e: unknown) => toast.refused(e));
  };
}
