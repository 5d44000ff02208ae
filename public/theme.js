// Sets the theme before the first paint: what the reader chose, else the system's.
(function () {
  var chosen = "system";
  try {
    chosen = (JSON.parse(localStorage.getItem("relayscope.settings") || "{}") || {}).theme || "system";
  } catch (error) {
    // No storage: the system's theme.
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
