package wire

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// composeService is the part of a service that the test reads.
type composeService struct {
	MemLimit    string `yaml:"mem_limit"`
	PidsLimit   int    `yaml:"pids_limit"`
	Healthcheck struct {
		Test    []string `yaml:"test"`
		Disable bool     `yaml:"disable"`
	} `yaml:"healthcheck"`
	Image       string            `yaml:"image"`
	Environment map[string]string `yaml:"environment"`
	Command     any               `yaml:"command"`
	Ports       []string          `yaml:"ports"`
	ReadOnly    bool              `yaml:"read_only"`
	Tmpfs       []string          `yaml:"tmpfs"`
	CapDrop     []string          `yaml:"cap_drop"`
	SecurityOpt []string          `yaml:"security_opt"`
	DependsOn   map[string]struct {
		Condition string `yaml:"condition"`
	} `yaml:"depends_on"`
}

// reference is a variable of the shell in a compose file, with what follows its
// name.
var reference = regexp.MustCompile(`\$\{([A-Z0-9_]+)([^}]*)\}`)

// filled returns the value with a value for each variable: its default, if it has one.
func filled(value string) string {
	return reference.ReplaceAllStringFunc(value, func(v string) string {
		parts := reference.FindStringSubmatch(v)
		if fallback, has := strings.CutPrefix(parts[2], ":-"); has {
			return fallback
		}
		if parts[1] == "MOLAR_SECRET_KEY" {
			return strings.Repeat("A", 43) + "="
		}
		return strings.ToLower(parts[1])
	})
}

func readCompose(t *testing.T) (services map[string]composeService) {
	t.Helper()
	content, err := os.ReadFile("../../../compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]composeService `yaml:"services"`
	}
	if err := yaml.Unmarshal(content, &file); err != nil || len(file.Services) != 9 {
		t.Fatalf("%d services, %v", len(file.Services), err)
	}
	return file.Services
}

// TestCompose checks what every service of the compose file needs: limits, a
// health check, ports on this machine alone, and no secret but those of the
// operator.
func TestCompose(t *testing.T) {
	t.Parallel()
	services := readCompose(t)
	for name, s := range services {
		if s.MemLimit == "" || s.PidsLimit == 0 {
			t.Errorf("%s has no limits: %+v", name, s)
		}
		if ends := name == "migrate"; s.Healthcheck.Disable != ends || len(s.Healthcheck.Test) == 0 && !ends {
			t.Errorf("%s has the health check %+v", name, s.Healthcheck)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s publishes %s", name, p)
			}
		}
		for on, d := range s.DependsOn {
			if want := map[bool]string{true: "service_completed_successfully", false: "service_healthy"}[on == "migrate"]; d.Condition != want {
				t.Errorf("%s waits for %s with %s, want %s", name, on, d.Condition, want)
			}
		}
		for variable, value := range s.Environment {
			checkSecret(t, name, variable, value)
		}
	}
}

// checkSecret checks that a variable has no secret of its own, and no default
// for one.
func checkSecret(t *testing.T, service, variable, value string) {
	t.Helper()
	for _, r := range reference.FindAllStringSubmatch(value, -1) {
		if chosen := r[1] == variable && variable != "MOLAR_SECRET_KEY"; chosen {
			continue // a setting of the operator, which is no secret
		}
		if required := strings.HasPrefix(r[2], ":?"); !required && (service != "migrate" || r[0] != "${POSTGRES_PASSWORD}") { // which postgres requires
			t.Errorf("%s of %s has a default or may be empty: %s", variable, service, value)
		}
	}
	secret := value
	if u, err := url.Parse(reference.ReplaceAllString(value, "variable")); err == nil && u.User != nil {
		secret, _ = u.User.Password()
	} else if !regexp.MustCompile(`PASS|KEY|SECRET`).MatchString(variable) || variable == "ROOT_ACCESS_KEY" { // the name of the user
		return
	} else {
		secret = reference.ReplaceAllString(secret, "variable")
	}
	if secret != "variable" {
		t.Errorf("%s of %s has a literal secret", variable, service)
	}
}

// TestComposeRunsTheService checks the services that are this program's own:
// commands that exist, settings that it reads, no privileges. Only migrate has
// the login that owns the tables.
func TestComposeRunsTheService(t *testing.T) {
	t.Parallel()
	own := 0
	for name, s := range readCompose(t) {
		command, ours := s.Command.([]any)
		if !ours {
			if len(s.Environment) == 0 || strings.Contains(strings.Join(slices.Collect(maps.Keys(s.Environment)), " "), "MOLAR_") {
				t.Errorf("%s has the environment %v", name, s.Environment)
			}
			continue
		}
		own++
		if _, err := os.Stat(filepath.Join("..", "..", command[0].(string), "main.go")); err != nil {
			t.Errorf("%s runs %v: %v", name, command, err)
		}
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s has privileges: %+v", name, s)
		}
		if len(s.Tmpfs) != 1 || !strings.HasPrefix(s.Tmpfs[0], "/tmp:") || !strings.HasSuffix(s.Tmpfs[0], ",mode=1777") { // else only root may write there
			t.Errorf("%s has the temporary folders %v", name, s.Tmpfs)
		}
		if name != "migrate" && !slices.Equal(s.Healthcheck.Test, []string{"CMD", "molar", "ready"}) {
			t.Errorf("the health check of %s is %v", name, s.Healthcheck.Test)
		}
		set, err := LoadSettings(func(v string) string { return filled(s.Environment[v]) },
			"MOLAR_DATABASE_URL", "MOLAR_QUEUE_URL", "MOLAR_BLOB_URL", "MOLAR_SECRET_KEY", "MOLAR_LISTEN", "MOLAR_OPS_LISTEN")
		if err != nil {
			t.Errorf("the settings of %s: %v", name, err)
		}
		for setting := range s.Environment {
			if !slices.ContainsFunc(variables(), func(v variable) bool { return v.name == setting }) {
				t.Errorf("%s of %s is no setting", setting, name)
			}
		}
		service, _ := url.Parse(set.DatabaseURL)
		if service == nil || service.User.Username() != "molar_service" || strings.Contains(set.DatabaseURL, "postgres_password") {
			t.Errorf("%s logs in as the owner of the tables", name)
		}
		switch owner, _ := url.Parse(set.MigrateURL); {
		case (set.MigrateURL != "") != (name == "migrate"):
			t.Errorf("%s has the login of the owner: %q", name, set.MigrateURL)
		case name == "migrate" && (owner.Host != service.Host || owner.Path != service.Path || owner.User.Username() == service.User.Username()):
			t.Errorf("migrate uses %s, and the services %s", owner, service)
		}
	}
	for _, name := range []string{".dockerignore", ".gitignore"} {
		ignored, err := os.ReadFile("../../../" + name)
		if err != nil || !regexp.MustCompile(`(?m)^(\*\*/|compose/|/compose/)?\.env$`).Match(ignored) {
			t.Errorf("%s lets compose/.env into an image or a commit: %v", name, err)
		}
	}
	if own != 6 {
		t.Errorf("%d services are this program's own, want migrate and five more", own)
	}
}

// TestComposePassesSettings compares the settings that the binaries read with those that
// reach each service: each is the operator's, or the compose file's own.
func TestComposePassesSettings(t *testing.T) {
	t.Parallel()
	own := []string{"MOLAR_DATABASE_URL", "MOLAR_QUEUE_URL", "MOLAR_BLOB_URL", "MOLAR_LISTEN", "MOLAR_OPS_LISTEN", "MOLAR_TEMP_DIR"}
	for name, s := range readCompose(t) {
		if _, ours := s.Command.([]any); !ours {
			continue
		}
		for _, v := range variables() {
			value := s.Environment[v.name]
			chosen := strings.HasPrefix(value, "${"+v.name+":")
			switch {
			case v.name == "MOLAR_MIGRATE_URL":
			case slices.Contains(own, v.name):
				if value == "" || chosen {
					t.Errorf("%s of %s is %q, want a value of the file", v.name, name, value)
				}
			case !chosen:
				t.Errorf("%s does not reach %s: %q", v.name, name, value)
			}
		}
		public := filled(s.Environment["MOLAR_PUBLIC_URL"])
		if published := readCompose(t)["api"].Ports; !strings.HasPrefix(public, "http://127.0.0.1:") ||
			!slices.ContainsFunc(published, func(p string) bool { return strings.HasPrefix("http://"+p, public+":") }) {
			t.Errorf("people sign in at %s of %s, which publishes %v", public, name, published)
		}
	}
}

// TestImagesArePinned checks that every image has a version of its own.
func TestImagesArePinned(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`^[a-z/]+:v?\d+\.\d+(\.\d+)?(-[a-z-]+)?$`)
	for name, s := range readCompose(t) {
		if image := filled(s.Image); image != "molar:local" && !pinned.MatchString(image) {
			t.Errorf("%s has the image %q", name, image)
		}
	}
	content, err := os.ReadFile("../../../compose/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(string(content), -1) {
		if from[1] != "scratch" && !pinned.MatchString(from[1]) {
			t.Errorf("the Dockerfile starts from %q", from[1])
		}
	}
}
