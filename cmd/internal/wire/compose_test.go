package wire

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestCompose holds every service of the compose file to limits and a health
// check, and finds no password with a default. Only migrate logs in as the owner
// of the tables.
func TestCompose(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../../compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			MemLimit    string `yaml:"mem_limit"`
			PidsLimit   int    `yaml:"pids_limit"`
			Healthcheck struct {
				Test    []string `yaml:"test"`
				Disable bool     `yaml:"disable"`
			} `yaml:"healthcheck"`
			Environment map[string]string `yaml:"environment"`
		} `yaml:"services"`
	}
	if err := yaml.Unmarshal(content, &file); err != nil || len(file.Services) != 9 {
		t.Fatalf("%d services, %v", len(file.Services), err)
	}
	for name, s := range file.Services {
		if s.MemLimit == "" || s.PidsLimit == 0 || len(s.Healthcheck.Test) == 0 && (name != "migrate" || !s.Healthcheck.Disable) {
			t.Errorf("%s has no limits or no health check: %+v", name, s)
		}
		if s.Environment["MOLAR_DATABASE_URL"] != "" && !strings.HasPrefix(s.Environment["MOLAR_DATABASE_URL"], "postgres://molar_service:") ||
			(s.Environment["MOLAR_MIGRATE_URL"] != "") != (name == "migrate") {
			t.Errorf("%s logs in as the owner of the tables", name)
		}
		for variable, value := range s.Environment {
			if strings.Contains(value, "_PASSWORD") && (strings.Contains(value, ":-") || !strings.Contains(value, ":?") && name != "migrate") {
				t.Errorf("%s of %s has a default password: %s", variable, name, value)
			}
			if strings.HasPrefix(variable, "MOLAR_") && !strings.Contains(SettingsHelp(), "  "+variable+" ") {
				t.Errorf("%s of %s is no setting", variable, name)
			}
		}
	}
}
