// Puts the chosen theme on the document; "system" follows the system as it changes.
import { useEffect } from "react";
import { useApp } from "../kit/context.tsx";

export function useTheme(): void {
  const theme = useApp((state) => state.settings.theme);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const apply = (): void => {
      document.documentElement.dataset["theme"] =
        theme === "system" ? (dark.matches ? "dark" : "light") : theme;
    };
    apply();
    dark.addEventListener("change", apply);
    return () => dark.removeEventListener("change", apply);
  }, [theme]);
}
