import { useMay } from "../../api/session";
import { Parts } from "../../ui/page";

/** SettingsParts leads to the parts of the settings. Some are the owner's. */
export function SettingsParts() {
  const may = useMay();
  return (
    <Parts
      label="Settings"
      items={[
        ["Your account", "/settings"],
        ["Offices", "/settings/offices"],
        ["Providers", "/settings/providers"],
        ["Fee schedules", "/settings/fees"],
        ["Payers", "/settings/payers"],
        ...(may.manage ? [["Automation", "/settings/automation"] as const] : []),
        ["Attachment rules", "/settings/attachment-rules"],
        ...(may.manage ? [["Users", "/settings/users"] as const] : []),
        ["Sessions", "/settings/sessions"],
        ...(may.manage ? [["Audit", "/settings/audit"] as const] : []),
      ]}
    />
  );
}
