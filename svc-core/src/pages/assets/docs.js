// On every page: the theme's button, buttons that copy code, and the list of pages.
const spanish = document.documentElement.lang === "es";
const say = (english, other) => (spanish ? other : english);
const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

document.getElementById("theme")?.addEventListener("click", () => {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  // The reference's viewer keeps its own choice under this name, and has its own classes.
  localStorage.setItem("colorMode", theme);
  if (document.body.classList.contains("reference")) {
    document.body.classList.toggle("dark-mode", theme === "dark");
    document.body.classList.toggle("light-mode", theme === "light");
  }
});

for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = say("Copy", "Copiar");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").textContent.trimEnd());
    button.textContent = say("Copied", "Copiado");
    setTimeout(() => (button.textContent = say("Copy", "Copiar")), 1500);
  });
  block.append(button);
}

// Where there is room the list of pages is open.
const list = document.querySelector(".side details");
const wide = matchMedia("(min-width: 60rem)");
const unfold = () => list && (list.open = wide.matches);
unfold();
wide.addEventListener("change", unfold);

// Links to places of the reference that once led here.
if (document.querySelector("main[data-home]") && /^#(tag|model|webhook|description)\b/.test(location.hash)) {
  location.replace(`/docs/reference${location.search}${location.hash}`);
}

// The heading that is read now.
const toc = [...document.querySelectorAll(".toc a")];
if (toc.length) {
  const places = new Map(toc.map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const seen = new IntersectionObserver(
    (entries) => {
      const entry = entries.find((one) => one.isIntersecting);
      if (!entry) return;
      toc.forEach((link) => link.classList.remove("here"));
      places.get(entry.target.id)?.classList.add("here");
    },
    { rootMargin: "-80px 0px -70% 0px" },
  );
  for (const place of places.keys()) {
    const heading = document.getElementById(place);
    if (heading) seen.observe(heading);
  }
}
